import type { Action, OrganizationAction, PlainAction, RepositoryAction, TeamAction } from './actions.ts';
import { type Level, type Permissions, reaches } from './levels.ts';
import { hasScope, type Scope } from './scopes.ts';
import { reachesRank, type Standing } from './standing.ts';
import { isRepositoryLimited, type Viewer } from './viewer.ts';

/** `hidden`: the viewer may not learn that the thing exists, so the response is that of a missing one. */
export type Decision = 'granted' | 'hidden' | 'forbidden' | 'unauthenticated';

/** Kind of a repository's owner. A token may need a scope for it: see `ownerScope` of an action. */
export type OwnerKind = 'user' | 'organization';

/** Decides whether `viewer`, who has `permissions` on a repository of such an owner, may do `action` with it. */
export function decide(
  viewer: Viewer,
  action: RepositoryAction,
  permissions: Permissions,
  ownerKind: OwnerKind,
): Decision {
  if (!reaches(permissions.level, 'read')) return 'hidden';
  if (missingScopes(viewer, scopesOf(action, ownerKind)).length > 0) return 'forbidden';
  if (action.signedIn === true && viewer.accountId === null) return denial(viewer);
  if (permissions.isBlocked && isChange(action) && action.whenBlocked !== true) return 'forbidden';
  return levelsFor(action, permissions).some((level) => reaches(level, action.level))
    ? 'granted'
    : denial(viewer);
}

/** Whether an action may change something, which its scopes say. */
function isChange({ scopes }: RepositoryAction): boolean {
  return scopes.some((scope) => scope.startsWith('write:'));
}

/** Returns the levels of which one must be that of the action. */
function levelsFor({ unit }: RepositoryAction, permissions: Permissions): readonly Level[] {
  if (unit === undefined) return [permissions.level];
  return [unit].flat().map((each) => permissions.units[each]);
}

/** Decides whether `viewer`, who has this standing in an organization, may do `action` with it. */
export function decideInOrganization(
  viewer: Viewer,
  action: OrganizationAction,
  standing: Standing,
): Decision {
  if (!standing.isVisible) return 'hidden';
  if (isCredentialTooWeak(viewer, action)) return 'forbidden';
  return reachesRank(standing, action.rank) ? 'granted' : denial(viewer);
}

/** Decides whether `viewer`, who has this standing in the organization of a team, may do `action` with the team. */
export function decideOnTeam(
  viewer: Viewer,
  action: TeamAction,
  relation: { standing: Standing; isInTeam: boolean },
): Decision {
  const { standing, isInTeam } = relation;
  if (viewer.accountId === null) return denial(viewer);
  if (!reachesRank(standing, 'member')) return 'hidden';
  if (isCredentialTooWeak(viewer, action)) return 'forbidden';
  if (action.within === 'organization' || reachesRank(standing, 'owner')) return 'granted';
  return action.within === 'team' && isInTeam ? 'granted' : 'forbidden';
}

/** Decides whether `viewer` may do an action that needs no lookup. */
export function decidePlain(viewer: Viewer, action: PlainAction): Decision {
  if (action.on !== 'open' && viewer.accountId === null) return denial(viewer);
  if (isCredentialTooWeak(viewer, action)) return 'forbidden';
  if (action.on === 'site' && !viewer.isAdmin) return 'forbidden';
  return 'granted';
}

function denial(viewer: Viewer): Decision {
  return viewer.kind === 'anonymous' ? 'unauthenticated' : 'forbidden';
}

function isCredentialTooWeak(viewer: Viewer, action: Exclude<Action, RepositoryAction>): boolean {
  return missingScopes(viewer, action.scopes).length > 0 || isBeyondLimit(viewer, action);
}

/** Write scopes that a credential for named repositories may use: they change only what is in a repository. */
const WITHIN_LIMIT: ReadonlySet<Scope> = new Set(['write:repository', 'write:issue']);

/** A credential for named repositories changes only those repositories, and has no power over the site. */
export function isBeyondLimit(viewer: Viewer, action: Action): boolean {
  if (!isRepositoryLimited(viewer) || action.on === 'repository') return false;
  return (
    action.on === 'site' ||
    action.scopes.some((scope) => scope.startsWith('write:') && !WITHIN_LIMIT.has(scope))
  );
}

/** Returns those of the scopes that the viewer's credential lacks. */
export function missingScopes(viewer: Viewer, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => !hasScope(viewer.scopes, scope));
}

/**
 * Returns every scope that an action needs: its `scopes`, and the one for the kind of the repository's owner.
 *
 * @param ownerKind without effect on actions that are not on a repository
 */
export function scopesOf(action: Action, ownerKind: OwnerKind): readonly Scope[] {
  if (action.on !== 'repository' || action.ownerScope === undefined) return action.scopes;
  return [...action.scopes, `${action.ownerScope}:${ownerKind}`];
}

/** Whether the action needs no lookup. */
export function isPlain(action: Action): action is PlainAction {
  return action.on === 'open' || action.on === 'self' || action.on === 'site';
}

/** Returns the message for a viewer whose credential is sufficient, but who may not do `action`. */
export function whyDenied(action: Action): string {
  return action.why ?? usualWhy(action);
}

function usualWhy(action: Action): string {
  switch (action.on) {
    case 'repository':
      return 'you may not do this with this repository';
    case 'organization':
      return 'only owners of the organization may do this';
    case 'team':
      return action.within === 'team'
        ? 'only members of the team and owners of the organization may do this'
        : 'only owners of the organization may do this';
    case 'site':
      return 'only a site administrator may do this';
    case 'open':
    case 'self':
      return 'you may not do this';
  }
}
