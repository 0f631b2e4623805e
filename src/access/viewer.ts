import { isPublicOnly, type Scopes, UNSCOPED } from './scopes.ts';

/** Who asks, and with what. Made in one place, `authentication/`, whatever the wire. */
export interface Viewer {
  /** null: nobody in particular */
  readonly accountId: number | null;
  readonly name: string;
  /** never true for a credential that is limited to named repositories */
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly scopes: Scopes;
  readonly publicOnly: boolean;
  /** the token that names the only repositories there are for this viewer; null: there is no such limit */
  readonly limitedByToken: number | null;
  readonly credential: 'none' | 'password' | 'token';
}

/** A viewer who is signed in. */
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

export function isRepositoryLimited(viewer: Viewer): boolean {
  return viewer.limitedByToken !== null;
}

/** What brought the account in, and what it is good for. */
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
