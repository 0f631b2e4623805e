import { type Level, reaches } from './levels.ts';
import { hasScope, type Scope } from './scopes.ts';
import { reachesRank, type Standing } from './standing.ts';
import { isRepositoryLimited, type Viewer } from './viewer.ts';

/** What of a repository can be given by itself. */
export const UNITS = [
  'code',
  'issues',
  'ext_issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'projects',
  'packages',
  'actions',
] as const;
export type Unit = (typeof UNITS)[number];

/** What a viewer holds on one repository: whoever sees it holds `read` at least, though perhaps on no unit but one. */
export interface Held {
  /** on the repository as a whole: the highest of all, though a unit gives no more than `write` */
  readonly level: Level;
  readonly units: Readonly<Record<Unit, Level>>;
}

/** What an action needs: a level on a repository, a standing in an organization, or to be somebody, or nothing. */
type ActionRule = {
  /** every scope a token must have; nothing else than these is ever asked of it */
  readonly scopes: readonly Scope[];
} & (
  | {
      /** `open`: anyone. `self`: somebody who is signed in. `site`: a site administrator. */
      readonly on: 'open' | 'self' | 'site';
    }
  | {
      readonly on: 'repository';
      readonly level: Level;
      /** the unit that the level is needed on; absent: it is needed on the repository as a whole */
      readonly unit?: Unit;
      /** Nobody in particular may not, though they hold the level. */
      readonly signedIn?: true;
      /** A token needs this scope, too, of whatever kind the owner is: `user` or `organization`. */
      readonly ownerScope?: 'read' | 'write';
    }
  | {
      readonly on: 'organization';
      /** `visitor`: whoever may know of it */
      readonly rank: 'visitor' | 'member' | 'owner';
    }
  | {
      /** Whoever is not in its organization is told nothing of a team. */
      readonly on: 'team';
      /** `organization`: any member of the organization; `team`: who is in the team; owners may always */
      readonly within: 'organization' | 'team' | 'owners';
    }
);

/**
 * The one table of what can be done and what it takes. Every route names its action here when it is registered,
 * and a server with a route that names none refuses to start.
 */
export const ACTIONS = {
  'server.describe': { on: 'open', scopes: [] },
  // What every forge of this kind ships with: nobody's, so no credential has less of it.
  'template.read': { on: 'open', scopes: [] },

  'account.read': { on: 'open', scopes: ['read:user'] },
  'account.search': { on: 'open', scopes: ['read:user'] },
  'account.read-self': { on: 'self', scopes: ['read:user'] },
  'account.change-self': { on: 'self', scopes: ['write:user'] },
  'account.list-repositories': { on: 'self', scopes: ['read:user', 'read:repository'] },
  'account.list-repositories-of': { on: 'open', scopes: ['read:user', 'read:repository'] },
  'account.create-repository': { on: 'self', scopes: ['write:user', 'write:repository'] },
  // Where the notes are is up to their owner; the level on that repository is asked with each call.
  'note.read': { on: 'self', scopes: ['read:repository'] },
  'note.write': { on: 'self', scopes: ['write:repository'] },
  'account.list-organizations': { on: 'self', scopes: ['read:user', 'read:organization'] },
  'account.list-organizations-of': { on: 'open', scopes: ['read:user', 'read:organization'] },
  'account.list-teams': { on: 'self', scopes: ['read:user', 'read:organization'] },
  'token.list': { on: 'self', scopes: ['read:user'] },
  'token.create': { on: 'self', scopes: ['write:user'] },
  'token.delete': { on: 'self', scopes: ['write:user'] },
  'site.list-accounts': { on: 'site', scopes: ['read:admin'] },
  'site.create-account': { on: 'site', scopes: ['write:admin'] },
  'site.edit-account': { on: 'site', scopes: ['write:admin'] },
  'site.delete-account': { on: 'site', scopes: ['write:admin'] },
  'site.list-organizations': { on: 'site', scopes: ['read:admin', 'read:organization'] },
  'site.create-organization': { on: 'site', scopes: ['write:admin', 'write:organization'] },
  'site.create-repository': { on: 'site', scopes: ['write:admin', 'write:repository'] },

  'organization.list': { on: 'open', scopes: ['read:organization'] },
  'organization.create': { on: 'self', scopes: ['write:organization'] },
  'organization.read': { on: 'organization', rank: 'visitor', scopes: ['read:organization'] },
  'organization.edit': { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  'organization.delete': { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  'organization.list-members': { on: 'organization', rank: 'visitor', scopes: ['read:organization'] },
  'organization.remove-member': { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  'organization.show-own-membership': {
    on: 'organization',
    rank: 'member',
    scopes: ['write:organization'],
  },
  'organization.list-repositories': {
    on: 'organization',
    rank: 'visitor',
    scopes: ['read:organization', 'read:repository'],
  },
  // The template, and whom it is made for, are looked up, and say what else it takes.
  'repository.generate': { on: 'self', scopes: ['write:repository'] },
  // Whoever is signed in may ask; the organization itself says who may create in it.
  'organization.create-repository': { on: 'self', scopes: ['write:organization', 'write:repository'] },

  'team.list': { on: 'organization', rank: 'member', scopes: ['read:organization'] },
  'team.create': { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
  'team.read': { on: 'team', within: 'team', scopes: ['read:organization'] },
  'team.edit': { on: 'team', within: 'owners', scopes: ['write:organization'] },
  'team.delete': { on: 'team', within: 'owners', scopes: ['write:organization'] },
  'team.list-members': { on: 'team', within: 'organization', scopes: ['read:organization'] },
  'team.change-members': { on: 'team', within: 'owners', scopes: ['write:organization'] },
  'team.list-repositories': {
    on: 'team',
    within: 'team',
    scopes: ['read:organization', 'read:repository'],
  },
  'team.change-repositories': {
    on: 'team',
    within: 'team',
    scopes: ['write:organization', 'write:repository'],
  },

  'repository.search': { on: 'open', scopes: ['read:repository'] },
  'repository.read': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'repository.edit': { on: 'repository', level: 'admin', scopes: ['write:repository'] },
  'repository.delete': {
    on: 'repository',
    level: 'owner',
    ownerScope: 'write',
    scopes: ['write:repository'],
  },
  'repository.transfer': { on: 'repository', level: 'owner', scopes: ['write:repository'] },
  // Whoever was asked to take it over sees it for as long; the asking says who that is.
  'repository.answer-transfer': {
    on: 'repository',
    level: 'read',
    signedIn: true,
    scopes: ['write:repository'],
  },
  'repository.fork': {
    on: 'repository',
    level: 'read',
    unit: 'code',
    signedIn: true,
    scopes: ['write:repository'],
  },
  'repository.sync-fork': { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
  'repository.fetch': { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  'repository.push': { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
  'repository.list-teams': {
    on: 'repository',
    level: 'read',
    scopes: ['read:repository', 'read:organization'],
  },
  'repository.change-teams': {
    on: 'repository',
    level: 'admin',
    scopes: ['write:repository', 'write:organization'],
  },
  'repository.list-assignable': {
    on: 'repository',
    level: 'read',
    signedIn: true,
    scopes: ['read:repository'],
  },
  'star.read': { on: 'repository', level: 'read', signedIn: true, scopes: ['read:user', 'read:repository'] },
  'star.change': {
    on: 'repository',
    level: 'read',
    signedIn: true,
    scopes: ['write:user', 'write:repository'],
  },
  'star.list': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'watch.read': { on: 'repository', level: 'read', signedIn: true, scopes: ['read:repository'] },
  'watch.change': { on: 'repository', level: 'read', signedIn: true, scopes: ['write:repository'] },
  'watch.list': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'topic.search': { on: 'open', scopes: ['read:repository'] },
  'topic.list': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'topic.change': { on: 'repository', level: 'admin', scopes: ['write:repository'] },
  'language.list': { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  'contents.read': { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  'contents.read-raw': { on: 'repository', level: 'read', unit: 'code', scopes: ['read:repository'] },
  'contents.write': { on: 'repository', level: 'write', unit: 'code', scopes: ['write:repository'] },
  'collaborator.list': { on: 'repository', level: 'write', scopes: ['read:repository'] },
  'collaborator.read-permission': { on: 'repository', level: 'read', scopes: ['read:repository'] },
  'collaborator.change': { on: 'repository', level: 'admin', scopes: ['write:repository'] },
} as const satisfies Record<string, ActionRule>;

export type Action = keyof typeof ACTIONS;
type ActionOn<On extends ActionRule['on']> = {
  [Name in Action]: (typeof ACTIONS)[Name] extends { on: On } ? Name : never;
}[Action];
export type RepositoryAction = ActionOn<'repository'>;
export type OrganizationAction = ActionOn<'organization'>;
export type TeamAction = ActionOn<'team'>;
/** An action whose rule can be asked without looking anything up. */
export type PlainAction = ActionOn<'open' | 'self' | 'site'>;

export type Decision = 'granted' | 'hidden' | 'forbidden' | 'unauthenticated';

/**
 * Whether `viewer`, who holds `held` on a repository, may do `action` with it.
 *
 * A viewer who may not even read is told nothing, whoever it is: hidden is missing.
 *
 * @param ownerKind whose repository it is, where the action depends on it
 */
export function decide(
  viewer: Viewer,
  action: RepositoryAction,
  held: Held,
  ownerKind?: 'user' | 'organization',
): Decision {
  const rule: ActionRule & { on: 'repository' } = ACTIONS[action];
  if (!reaches(held.level, 'read')) return 'hidden';
  if (missingScopes(viewer, action, ownerKind).length > 0) return 'forbidden';
  const level = rule.unit === undefined ? held.level : held.units[rule.unit];
  if (rule.signedIn === true && viewer.accountId === null) return 'unauthenticated';
  return reaches(level, rule.level) ? 'granted' : refusal(viewer);
}

/** Whether `viewer`, who stands so in an organization, may do `action` with it. */
export function decideInOrganization(
  viewer: Viewer,
  action: OrganizationAction,
  standing: Standing,
): Decision {
  if (!standing.isVisible) return 'hidden';
  if (missingScopes(viewer, action).length > 0 || isBeyondLimit(viewer, action)) return 'forbidden';
  return reachesRank(standing, ACTIONS[action].rank) ? 'granted' : refusal(viewer);
}

/** Whether `viewer`, who stands so in the organization of a team, may do `action` with the team. */
export function decideOnTeam(
  viewer: Viewer,
  action: TeamAction,
  held: { standing: Standing; isInTeam: boolean },
): Decision {
  const { standing, isInTeam } = held;
  if (viewer.accountId === null) return 'unauthenticated';
  if (!reachesRank(standing, 'member')) return 'hidden';
  if (missingScopes(viewer, action).length > 0 || isBeyondLimit(viewer, action)) return 'forbidden';
  const { within } = ACTIONS[action];
  if (within === 'organization' || reachesRank(standing, 'owner')) return 'granted';
  return within === 'team' && isInTeam ? 'granted' : 'forbidden';
}

/** Whether `viewer` may do something that concerns nothing that would have to be looked up. */
export function decideWithoutRepository(viewer: Viewer, action: PlainAction): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (rule.on !== 'open' && viewer.accountId === null) return 'unauthenticated';
  if (missingScopes(viewer, action).length > 0 || isBeyondLimit(viewer, action)) return 'forbidden';
  if (rule.on === 'site' && !viewer.isAdmin) return 'forbidden';
  return 'granted';
}

function refusal(viewer: Viewer): Decision {
  return viewer.accountId === null ? 'unauthenticated' : 'forbidden';
}

/** What a credential for named repositories may change: what is in them. */
const WITHIN_LIMIT: ReadonlySet<Scope> = new Set(['write:repository', 'write:issue']);

/** A credential for named repositories changes nothing but them, and has no power over the site. */
export function isBeyondLimit(viewer: Viewer, action: Action): boolean {
  if (!isRepositoryLimited(viewer)) return false;
  const { on, scopes } = ACTIONS[action];
  if (on === 'repository') return false;
  return on === 'site' || scopes.some((scope) => scope.startsWith('write:') && !WITHIN_LIMIT.has(scope));
}

/**
 * The scopes that `action` needs and the viewer's credential lacks.
 *
 * @param ownerKind whose repository it is, where that is known
 */
export function missingScopes(
  viewer: Viewer,
  action: Action,
  ownerKind?: 'user' | 'organization',
): readonly Scope[] {
  return scopesOf(action, ownerKind).filter((scope) => !hasScope(viewer.scopes, scope));
}

/** Every scope that an action takes. */
export function scopesOf(action: Action, ownerKind?: 'user' | 'organization'): readonly Scope[] {
  const rule: ActionRule = ACTIONS[action];
  if (rule.on !== 'repository' || rule.ownerScope === undefined || ownerKind === undefined)
    return rule.scopes;
  return [...rule.scopes, `${rule.ownerScope}:${ownerKind}`];
}

/** Whether the action concerns nothing that would have to be looked up. */
export function isPlain(action: Action): action is PlainAction {
  return ['open', 'self', 'site'].includes(ACTIONS[action].on);
}
