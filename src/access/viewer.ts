import { isPublicOnly, type Scopes, UNSCOPED } from './scopes.ts';

/** Who asks, and with what. Made in one place, `authentication/`, whatever the wire. */
export interface Viewer {
  /** null: nobody in particular */
  readonly accountId: number | null;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly scopes: Scopes;
  readonly publicOnly: boolean;
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
  credential: 'none',
};

export function isSignedIn(viewer: Viewer): viewer is SignedIn {
  return viewer.accountId !== null;
}

export function viewerOf(
  account: { id: number; name: string; isAdmin: boolean; isRestricted: boolean },
  credential: 'password' | 'token',
  scopes: Scopes,
): SignedIn {
  const publicOnly = isPublicOnly(scopes);
  return {
    accountId: account.id,
    name: account.name,
    isAdmin: account.isAdmin,
    isRestricted: account.isRestricted,
    scopes,
    publicOnly,
    credential,
  };
}
