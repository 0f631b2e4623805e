import type { GrantedScope, Scope } from '../../api/access/scopes.ts';

/** What an app password may do: everything that notes need. */
const APP_PASSWORD_SCOPES: readonly Scope[] = ['write:repository', 'read:user'];

export function appPasswordScopes({ notesOnly }: { notesOnly: boolean }): readonly GrantedScope[] {
  return notesOnly ? [...APP_PASSWORD_SCOPES, 'notes-only'] : APP_PASSWORD_SCOPES;
}

/** What a user grants to a client. */
export interface DeviceGrant {
  readonly accountId: number;
  readonly device: string;
  /** whether the app password is only for notes */
  readonly notesOnly: boolean;
}

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
