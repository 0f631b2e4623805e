import { hasScope, type Scope } from './scopes.ts';
import type { Viewer } from './viewer.ts';

/** What a viewer may do with one repository, least first. */
export const LEVELS = ['none', 'read', 'write', 'admin', 'owner'] as const;
export type Level = (typeof LEVELS)[number];

export function reaches(held: Level, needed: Level): boolean {
  return LEVELS.indexOf(held) >= LEVELS.indexOf(needed);
}

/** What an action needs: a level on a repository, or to be somebody, or nothing. */
interface ActionRule {
  /** `open`: anyone. `self`: somebody who is signed in. `site`: a site administrator. `repository`: `level` on it. */
  readonly on: 'open' | 'self' | 'site' | 'repository';
  readonly level?: Level;
  /** every scope a token must have; nothing else than these is ever asked of it */
  readonly scopes: readonly Scope[];
}

/**
 * The one table of what can be done and what it takes. Every route names its action here when it is registered,
 * and a server with a route that names none refuses to start.
 */
export const ACTIONS = {
  'server.describe': { on: 'open', scopes: [] },

  'account.read': { on: 'open', scopes: ['read:user'] },
  'account.read-self': { on: 'self', scopes: ['read:user'] },
  'account.list-repositories': { on: 'self', scopes: ['read:user', 'read:repository'] },
  'account.create-repository': { on: 'self', scopes: ['write:user', 'write:repository'] },
  // Where the notes are is up to their owner; the level on that repository is asked with each call.
  'note.read': { on: 'self', scopes: ['read:repository'] },
  'note.write': { on: 'self', scopes: ['write:repository'] },
  'token.list': { on: 'self', scopes: ['read:user'] },
  'token.create': { on: 'self', scopes: ['write:user'] },
  'token.delete': { on: 'self', scopes: ['write:user'] },
  'site.list-accounts': { on: 'site', scopes: ['read:admin'] },
  'site.create-account': { on: 'site', scopes: ['write:admin'] },
  'site.edit-account': { on: 'site', scopes: ['write:admin'] },
  'site.delete-account': { on: 'site', scopes: ['write:admin'] },

  'repository.read': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'repository.delete': { on: 'repository', level: 'owner', scopes: ['write:repository'] },
  'repository.fetch': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'repository.push': { on: 'repository', level: 'write', scopes: ['write:repository'] },
  'contents.read': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'contents.write': { on: 'repository', level: 'write', scopes: ['write:repository'] },
  'collaborator.list': { on: 'repository', level: 'write', scopes: ['read:repository'] },
  'collaborator.change': { on: 'repository', level: 'admin', scopes: ['write:repository'] },
} as const satisfies Record<string, ActionRule>;

export type Action = keyof typeof ACTIONS;
export type RepositoryAction = {
  [Name in Action]: (typeof ACTIONS)[Name] extends { on: 'repository' } ? Name : never;
}[Action];

export type Decision = 'granted' | 'hidden' | 'forbidden' | 'unauthenticated';

/**
 * Whether `viewer`, who holds `held` on a repository, may do `action` with it.
 *
 * A viewer who may not even read is told nothing, whoever it is: hidden is missing.
 */
export function decide(viewer: Viewer, action: RepositoryAction, held: Level): Decision {
  if (!reaches(held, 'read')) return 'hidden';
  if (missingScopes(viewer, action).length > 0) return 'forbidden';
  if (reaches(held, ACTIONS[action].level)) return 'granted';
  return viewer.accountId === null ? 'unauthenticated' : 'forbidden';
}

/** Whether `viewer` may do something that concerns no repository. */
export function decideWithoutRepository(viewer: Viewer, action: Action): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (rule.on !== 'open' && viewer.accountId === null) return 'unauthenticated';
  if (missingScopes(viewer, action).length > 0) return 'forbidden';
  if (rule.on === 'site' && !viewer.isAdmin) return 'forbidden';
  return 'granted';
}

/** The scopes that `action` needs and the viewer's credential lacks. */
export function missingScopes(viewer: Viewer, action: Action): readonly Scope[] {
  return ACTIONS[action].scopes.filter((scope) => !hasScope(viewer.scopes, scope));
}
