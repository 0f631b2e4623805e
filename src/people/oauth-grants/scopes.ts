import { type GrantedScope, isGrantedScope, type Scopes, UNSCOPED } from '../../api/access/scopes.ts';

/** Scopes of OpenID Connect. They open parts of the record of the user, and nothing of the API. */
export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'groups'] as const;
export type IdentityScope = (typeof IDENTITY_SCOPES)[number];

/** Scopes of another forge, which clients that know several forges send everywhere, and what they mean here. */
const FOREIGN: Readonly<Record<string, GrantedScope>> = {
  repo: 'write:repository',
  'repo:status': 'write:repository',
  user: 'read:user',
  'user:email': 'read:user',
  'read:org': 'read:organization',
};
/** Every grant has a refresh token, so a client need not ask for it. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['offline_access']);

/**
 * Reads the scopes that a client requests, separated by spaces.
 *
 * @returns the scopes of this server, sorted and without repetitions; '' if the client sends none: everything;
 *   undefined if one of them is unknown, or if the client sends only words that give no right
 */
export function readScopes(requested: string): string | undefined {
  const words = requested.split(' ').filter((word) => word !== '' && !WITHOUT_EFFECT.has(word));
  if (requested !== '' && words.length === 0) return undefined;
  const scopes = words.map((word) => FOREIGN[word] ?? word);
  if (!scopes.every((scope) => isIdentityScope(scope) || isGrantedScope(scope))) return undefined;
  return [...new Set(scopes)].toSorted().join(' ');
}

function isIdentityScope(text: string): text is IdentityScope {
  return (IDENTITY_SCOPES as readonly string[]).includes(text);
}

/** Returns the rights on the API and on git: none if a client has named only scopes of OpenID Connect. */
export function rightsOf(scopes: string): Scopes {
  return scopes === '' ? UNSCOPED : { granted: new Set(wordsOf(scopes).filter(isGrantedScope)) };
}

/** Whether a grant opens a part of the record of its user. */
export function opensIdentity(scopes: string, wanted: IdentityScope): boolean {
  return scopes === '' || wordsOf(scopes).includes(wanted);
}

const LIMITS: ReadonlySet<string> = new Set<GrantedScope>(['public-only', 'notes-only']);

/** Whether a user who has granted some scopes has granted all that is requested now. */
export function isCovered(requested: string, granted: string): boolean {
  if (granted === '') return true;
  if (requested === '') return false;
  const has = new Set(wordsOf(granted));
  const wants = wordsOf(requested);
  const isLess = wants.every(
    (scope) =>
      LIMITS.has(scope) ||
      has.has(scope) ||
      (has.has('all') && isGrantedScope(scope)) ||
      (scope.startsWith('read:') && has.has(`write:${scope.slice('read:'.length)}`)),
  );
  // A limit of the grant must be one of the request, too.
  return isLess && [...LIMITS].every((limit) => !has.has(limit) || wants.includes(limit));
}

export function wordsOf(scopes: string): readonly string[] {
  return scopes === '' ? [] : scopes.split(' ');
}
