import { type Fragment, flag, fragment, literal, raw } from '../../../base/database/fragment.ts';
import { UNITS } from '../levels.ts';
import { idOf, overridesRights, type Viewer } from '../viewer.ts';
import { RANKS } from './levels.ts';

// The same rules as in `repository.ts`, for all repositories at once, so that an index can count those that a viewer
// sees. A test compares the two over random worlds.

/**
 * `repositories.facets`: who sees a repository, in steps of 16, plus one bit for each trait. The steps are 0 for
 * everyone, 1 for signed-in viewers (its owner is limited), 2 for members (its owner is private) and 3 for accounts that
 * it was given to (it is private itself). Triggers keep the column: migration 0007.
 */
const STEP = 16;
const EVERYONE_BELOW = STEP;
const SIGNED_IN_BELOW = 2 * STEP;
const MEMBERS_BELOW = 3 * STEP;
const ALL_BELOW = 4 * STEP;

/** The bit of each trait. */
export const FACETS = { fork: 1, mirror: 2, template: 4, archived: 8 } as const;

/** Private repositories have facets from here on. */
export const PRIVATE_FACETS = MEMBERS_BELOW;

/** The repositories that a viewer sees. */
export interface Seen {
  /** the viewer sees all repositories with facets below this */
  readonly openBelow: number;
  /** of those with facets from `openBelow` on and below this, the viewer sees those in `given` */
  readonly givenBelow: number;
  /** statement that selects the ids of repositories given to the viewer */
  readonly given: Fragment;
  /** statement that selects the only ids that the viewer's token reaches; null without such a limit */
  readonly named: Fragment | null;
}

/** @param options.onlyOpenToAll leaves out repositories that are not visible to everyone */
export function seenRepositories(viewer: Viewer, options: { onlyOpenToAll: boolean }): Seen {
  const cap = viewer.publicOnly || options.onlyOpenToAll ? EVERYONE_BELOW : ALL_BELOW;
  const openBelow = Math.min(openFacets(viewer), cap);
  return {
    openBelow,
    givenBelow: viewer.accountId === null ? 0 : cap,
    given: givenRepositories(viewer, openBelow),
    named: viewer.limitedByToken === null ? null : namedRepositories(viewer.limitedByToken),
  };
}

function openFacets(viewer: Viewer): number {
  if (overridesRights(viewer)) return ALL_BELOW;
  // A restricted account sees only what was given to it by name.
  if (viewer.isRestricted) return 0;
  return viewer.accountId === null ? EVERYONE_BELOW : SIGNED_IN_BELOW;
}

/** Ids of repositories that a viewer sees as owner, collaborator, team member or member of the organization. */
function givenRepositories(viewer: Viewer, openBelow: number): Fragment {
  const account = idOf(viewer);
  return fragment`select g.id from repositories g where g.owner_id = ${account} and g.facets >= ${openBelow}
    union all
    select c.repository_id from collaborations c where c.account_id = ${account}
    union all
    ${repositoriesByTeams(account, fragment`g.facets >= ${openBelow}`)}
    union all
    select g.id from organization_members om join repositories g on g.owner_id = om.organization_id
      where om.account_id = ${account} and g.facets >= ${openBelow} and g.facets < ${literal(MEMBERS_BELOW)}
        and ${flag(!viewer.isRestricted)} = 1`;
}

function namedRepositories(tokenId: number): Fragment {
  return fragment`select tk.repository_id from token_repositories tk where tk.token_id = ${tokenId}`;
}

const GIVES_ANY_LEVEL = fragment`(t.level >= ${RANKS.admin} or ${raw(UNITS.map((unit) => `t.${unit}_level > 0`).join(' or '))})`;
const GIVING_TEAMS = fragment`team_members m join teams t on t.id = m.team_id and ${GIVES_ANY_LEVEL}`;

/**
 * Ids of repositories on which the teams of an account give it any level.
 *
 * @param also further conditions, on a membership `m` and a repository `g`
 */
export function repositoriesByTeams(accountId: number, also: Fragment): Fragment {
  return fragment`select g.id from ${GIVING_TEAMS} join team_repositories tr on tr.team_id = t.id
      join repositories g on g.id = tr.repository_id and g.owner_id = m.organization_id
      where m.account_id = ${accountId} and ${also}
    union all
    select g.id from ${GIVING_TEAMS} and t.includes_all_repositories = 1
      join repositories g on g.owner_id = m.organization_id
      where m.account_id = ${accountId} and ${also}`;
}
