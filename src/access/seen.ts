import type { Scalar } from '../database/database.ts';
import { overridesRights, viewerParameter } from './held.ts';
import { rankOfLevel, UNITS } from './levels.ts';
import type { Viewer } from './viewer.ts';

// What `held.ts` says of one repository, said of all at once, so that an index can tell how many a viewer sees. A test
// holds the two against each other over random worlds.

/**
 * `repositories.facets`: who sees it in steps of 16 (0 everybody, 1 whoever is signed in, since its owner is limited,
 * 2 members, since its owner is private, 3 those it was given to, since it is private itself), then a bit for each
 * thing it may be. Kept by the database itself: migration 0007.
 */
const STEP = 16;
const EVERYBODY = STEP;
const SIGNED_IN = 2 * STEP;
const MEMBERS = 3 * STEP;
const EVERY_STEP = 4 * STEP;
export const FACETS = { fork: 1, mirror: 2, template: 4, archived: 8 } as const;

/** Facets from here on are those of private repositories. */
export const PRIVATE_FACETS = MEMBERS;

/**
 * Which repositories a viewer sees: all with facets below `openBelow`, and of those with facets from there on and
 * below `givenBelow` such as are in `GIVEN_REPOSITORIES`.
 */
export interface Seen {
  readonly openBelow: number;
  readonly givenBelow: number;
  /** for `GIVEN_REPOSITORIES` */
  readonly givenParameters: readonly Scalar[];
  /** the only repositories there are for this viewer; null: there is no such limit */
  readonly limitedByToken: number | null;
}

/** @param options.onlyOpenToAll leaves out what not everybody sees, though the viewer does */
export function seenRepositories(viewer: Viewer, options: { onlyOpenToAll: boolean }): Seen {
  const cap = viewer.publicOnly || options.onlyOpenToAll ? EVERYBODY : EVERY_STEP;
  const from = Math.min(openBelow(viewer), cap);
  const account = viewerParameter(viewer);
  return {
    openBelow: from,
    givenBelow: viewer.accountId === null ? 0 : cap,
    givenParameters: [
      account,
      from,
      account,
      account,
      from,
      account,
      from,
      account,
      from,
      viewer.isRestricted ? 0 : 1,
    ],
    limitedByToken: viewer.limitedByToken,
  };
}

function openBelow(viewer: Viewer): number {
  if (overridesRights(viewer)) return EVERY_STEP;
  // Somebody who is restricted sees only what was given to them by name.
  if (viewer.isRestricted) return 0;
  return viewer.accountId === null ? EVERYBODY : SIGNED_IN;
}

const GIVES_SOMETHING = [
  `t.level >= ${rankOfLevel('admin')}`,
  ...UNITS.map((unit) => `t.${unit}_level > 0`),
].join(' or ');

/**
 * Repositories that the teams of one account give it something on, their ids. Its parameters, twice: the account, and
 * those of the further conditions.
 *
 * @param also further conditions, on a membership `m` and on a repository `g`
 */
export function repositoriesByTeams(also: string): string {
  const teams = `team_members m join teams t on t.id = m.team_id and (${GIVES_SOMETHING})`;
  return `select g.id from ${teams} join team_repositories tr on tr.team_id = t.id
      join repositories g on g.id = tr.repository_id and g.owner_id = m.organization_id
      where m.account_id = ? and ${also}
    union all
    select g.id from ${teams} and t.includes_all_repositories = 1
      join repositories g on g.owner_id = m.organization_id
      where m.account_id = ? and ${also}`;
}

/**
 * Repositories that a viewer has from somewhere else than from their being open, their ids: own ones, collaborations,
 * those of teams, and what organizations show to their members. Its parameters are `givenParameters`.
 */
export const GIVEN_REPOSITORIES = `select g.id from repositories g where g.owner_id = ? and g.facets >= ?
    union all
    select c.repository_id from collaborations c where c.account_id = ?
    union all
    ${repositoriesByTeams('g.facets >= ?')}
    union all
    select g.id from organization_members om join repositories g on g.owner_id = om.organization_id
      where om.account_id = ? and g.facets >= ? and g.facets < ${MEMBERS} and ? = 1`;

/** What is there for a token that is limited to named repositories, their ids. Its parameter is the token. */
export const NAMED_REPOSITORIES = 'select tk.repository_id from token_repositories tk where tk.token_id = ?';
