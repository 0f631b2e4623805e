/** Categories of scopes. `write` includes `read`, and `all` includes every category. */
export const SCOPE_CATEGORIES = [
  'activitypub',
  'admin',
  'issue',
  'misc',
  'notification',
  'organization',
  'package',
  'repository',
  'user',
] as const;
type ScopeCategory = (typeof SCOPE_CATEGORIES)[number];
export type Scope = `${'read' | 'write'}:${ScopeCategory}`;
/** A scope that a token can be granted. */
export type GrantedScope = Scope | 'all' | Limit;
/** A scope that takes rights away. */
type Limit = 'public-only' | 'notes-only';

const GRANTABLE: ReadonlySet<string> = new Set<GrantedScope>([
  'all',
  'public-only',
  'notes-only',
  ...SCOPE_CATEGORIES.flatMap((category) => [`read:${category}`, `write:${category}`] as const),
]);

export function isGrantedScope(text: string): text is GrantedScope {
  return GRANTABLE.has(text);
}

/** The scopes of a credential. A password has all rights of its account. */
export interface Scopes {
  readonly granted: 'everything' | ReadonlySet<GrantedScope>;
}

export const UNSCOPED: Scopes = { granted: 'everything' };

export function hasScope(scopes: Scopes, needed: Scope): boolean {
  const { granted } = scopes;
  if (granted === 'everything' || granted.has('all') || granted.has(needed)) return true;
  return needed.startsWith('read:') && granted.has(`write:${needed.slice('read:'.length)}` as Scope);
}

export function isPublicOnly(scopes: Scopes): boolean {
  return isLimited(scopes, 'public-only');
}

/** Whether the credential is only for the notes of its account, whatever its other scopes. */
export function isNotesOnly(scopes: Scopes): boolean {
  return isLimited(scopes, 'notes-only');
}

function isLimited({ granted }: Scopes, limit: Limit): boolean {
  return granted !== 'everything' && granted.has(limit);
}
