import { scopesOf } from '../../../src/api/access/policy.ts';
import { SCOPE_CATEGORIES } from '../../../src/api/access/scopes.ts';
import { type AnyKind, isOrganization, MEMBERS, VIEWERS, type ViewerKind } from './forge.ts';
import type { Probe } from './probe.ts';

/** What each viewer sends in the tables. */
export const CREDENTIALS = [
  'password',
  'token: all',
  'token: the right scopes',
  'token: all other scopes',
  'token: public-only',
  'token: for this repository',
  'token: for another repository',
] as const;

/** What some viewers also send, which is compared with columns of the tables. */
export const COMPARED_CREDENTIALS = [
  'session',
  'session with a second factor',
  'session without the required second factor',
  'password of an account with a second factor',
  'password without the required second factor',
  'token: all, without the required second factor',
  'OAuth2 token: all',
  'OAuth2 token: read:repository',
] as const;
export type ComparedCredential = (typeof COMPARED_CREDENTIALS)[number];
export const COMPARED_VIEWERS = ['stranger', 'owner', 'site administrator'] as const;
/** Scope of the OAuth2 token that has only one. */
export const NARROW_SCOPE = 'read:repository';

export type CredentialKind = (typeof CREDENTIALS)[number] | ComparedCredential;
export type Caller = { readonly viewer: ViewerKind; readonly credential: CredentialKind } | 'anonymous';

/** Tokens without a limit differ in their scopes, on which no SQL depends. */
export const OF_SCOPES: readonly CredentialKind[] = [
  'token: all',
  'token: the right scopes',
  'token: all other scopes',
];

/** Members of an organization are left out of tables about users, to whom they are strangers. */
export function callersOf(kind: AnyKind): readonly Caller[] {
  const viewers = isOrganization(kind) ? [...VIEWERS, ...MEMBERS] : VIEWERS;
  return [
    'anonymous',
    ...viewers.flatMap((viewer) => CREDENTIALS.map((credential) => ({ viewer, credential }))),
  ];
}

export function comparedCallers(credentials: readonly ComparedCredential[]): readonly Caller[] {
  return COMPARED_VIEWERS.flatMap((viewer) => credentials.map((credential) => ({ viewer, credential })));
}

export function isCompared(credential: CredentialKind): boolean {
  return COMPARED_CREDENTIALS.some((each) => each === credential);
}

export function callerTitle(caller: Caller): string {
  return caller === 'anonymous' ? 'anonymous' : `${caller.viewer}, ${caller.credential}`;
}

export function isPassword(credential: CredentialKind): boolean {
  return credential.startsWith('password');
}

export function isSession(credential: CredentialKind): boolean {
  return credential.startsWith('session');
}

/** Returns the scopes that an action needs. */
export function neededScopes({ action }: Probe, kind: AnyKind) {
  return scopesOf(action, isOrganization(kind) ? 'organization' : 'user');
}

export function scopesFor(probe: Probe, credential: CredentialKind, kind: AnyKind): readonly string[] {
  const needed = neededScopes(probe, kind);
  switch (credential) {
    case 'token: the right scopes':
      return needed;
    case 'token: all other scopes': {
      const categories = needed.map((scope) => scope.split(':')[1]);
      return SCOPE_CATEGORIES.filter((category) => !categories.includes(category)).map(
        (category) => `write:${category}`,
      );
    }
    case 'token: public-only':
      return ['public-only', 'all'];
    case 'OAuth2 token: read:repository':
      return [NARROW_SCOPE];
    default:
      return ['all'];
  }
}
