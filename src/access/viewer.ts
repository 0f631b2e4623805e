import { isPublicOnly, type Scopes, UNSCOPED } from './scopes.ts';

/** The account and credential behind a request. Only `authentication/` makes one, for every wire. */
export interface Viewer {
  /** null for an anonymous viewer */
  readonly accountId: number | null;
  readonly name: string;
  /** never true for a credential that is limited to named repositories */
  readonly isAdmin: boolean;
  /** sees only what was given to the account by name */
  readonly isRestricted: boolean;
  readonly scopes: Scopes;
  readonly publicOnly: boolean;
  /** id of the token that names the only repositories within reach; null without such a limit */
  readonly limitedByToken: number | null;
  readonly credential: 'none' | 'password' | 'token';
}

export interface SignedIn extends Viewer {
  readonly accountId: number;
}

export const ANONYMOUS: Viewer = {
  accountId: null,
  name: '',
  isAdmin: false,
  isRestricted: false,
  scopes: UNSCOPED,
  publicOnly: false,
  limitedByToken: null,
  credential: 'none',
};

export function isSignedIn(viewer: Viewer): viewer is SignedIn {
  return viewer.accountId !== null;
}

export function isUnrestricted(viewer: Viewer): boolean {
  return isSignedIn(viewer) && !viewer.isRestricted;
}

export function isRepositoryLimited(viewer: Viewer): boolean {
  return viewer.limitedByToken !== null;
}

/** Whether a site administrator acts as one. With a token for public things, an administrator has no special rights. */
export function overridesRights(viewer: Viewer): boolean {
  return viewer.isAdmin && !viewer.publicOnly;
}

/** No row has this id. */
export const NO_ID = 0;

/** Returns the id to compare columns with; no row has that of an anonymous viewer. */
export function idOf(viewer: Viewer): number {
  return viewer.accountId ?? NO_ID;
}

/** A credential that was accepted, and its limits. */
export interface Grant {
  readonly credential: 'password' | 'token';
  readonly scopes: Scopes;
  /** the token's id, where it is limited to named repositories */
  readonly limitedByToken: number | null;
}

export const BY_PASSWORD: Grant = { credential: 'password', scopes: UNSCOPED, limitedByToken: null };

export function viewerOf(
  account: { id: number; name: string; isAdmin: boolean; isRestricted: boolean },
  grant: Grant,
): SignedIn {
  return {
    accountId: account.id,
    name: account.name,
    isAdmin: account.isAdmin && grant.limitedByToken === null,
    isRestricted: account.isRestricted,
    publicOnly: isPublicOnly(grant.scopes),
    ...grant,
  };
}
