import type { Scope } from '../access/scopes.ts';

/** What an app password may do: everything that notes need. */
export const APP_PASSWORD_SCOPES: readonly Scope[] = ['write:repository', 'read:user'];

/** A client that has asked to sign in. */
export interface SignInRequest {
  readonly id: number;
  /** as the client names itself */
  readonly client: string;
}

/** The secrets of a new request: one for the client, one for the page that the user opens. */
export interface StartedSignIn {
  readonly pollToken: string;
  readonly pageToken: string;
}

export interface AppPassword {
  readonly loginName: string;
  readonly password: string;
}
