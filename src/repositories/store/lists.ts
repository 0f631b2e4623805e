import { heldParameters, seenBy, viewerParameter } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Scalar } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { HeldRepository } from '../model.ts';
import { COLUMNS, heldRepositoriesOf, JOINS, type RepositoryColumns } from './records.ts';

type Listing = (
  db: Db,
  viewer: Viewer,
  chosen: readonly Scalar[],
  paging: Paging,
) => Promise<Page<HeldRepository>>;

interface Chosen {
  /** joined after all else; what it brings as `chosen` may be ordered by */
  readonly join?: string;
  readonly where: string;
  /** absent: by name */
  readonly order?: string;
}

/** A list of the repositories that a condition chooses and the viewer may see; one query for a page of it. */
function listing(chosenBy: string | Chosen): Listing {
  const { join = '', where, order } = typeof chosenBy === 'string' ? { where: chosenBy } : chosenBy;
  const columns = join === '' ? COLUMNS : `${COLUMNS}, chosen.created_at as chosen_at`;
  const from = `(select ${columns} from accounts o ${JOINS} ${join} where ${where}) found where found.held > 0`;
  const page = hotQuery<RepositoryColumns>(
    `select * from ${from} order by ${order ?? 'lower(found.name), found.id'} limit ? offset ?`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total from ${from}`);
  return async (db, viewer, chosen, paging) => {
    const parameters = [...heldParameters(viewer), viewerParameter(viewer), ...chosen];
    const rows = await page(db, [...parameters, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, parameters);
    return { items: await heldRepositoriesOf(db, viewer, rows), total: counted?.total ?? 0 };
  };
}

const ofSelf = listing(`r.id in (
    select id from repositories where owner_id = ?
    union select repository_id from collaborations where account_id = ?
    union select tr.repository_id from team_members m join team_repositories tr on tr.team_id = m.team_id
      where m.account_id = ?
    union select i.id from team_members m
      join teams t on t.id = m.team_id and t.includes_all_repositories = 1
      join repositories i on i.owner_id = t.organization_id where m.account_id = ?)`);

/** Those the viewer owns, collaborates on or has by a team, and may see. */
export function listOwnRepositories(db: Db, viewer: Viewer, paging: Paging): Promise<Page<HeldRepository>> {
  const self = viewerParameter(viewer);
  return ofSelf(db, viewer, [self, self, self, self], paging);
}

const ofOwner = listing('r.owner_id = ?');

export function listRepositoriesOf(
  db: Db,
  viewer: Viewer,
  ownerId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return ofOwner(db, viewer, [ownerId], paging);
}

const ofTeam = listing(`r.id in (
    select tr.repository_id from team_repositories tr where tr.team_id = ?
    union select i.id from teams t join repositories i on i.owner_id = t.organization_id
      where t.id = ? and t.includes_all_repositories = 1)`);

/** Those a team has, all of its organization where it includes all. */
export function listTeamRepositories(
  db: Db,
  viewer: Viewer,
  teamId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return ofTeam(db, viewer, [teamId, teamId], paging);
}

/** What somebody keeps of a repository that they do not see any more is told to nobody. */
const newestFirst = (table: 'stars' | 'watches'): Chosen => ({
  join: `join ${table} chosen on chosen.repository_id = r.id`,
  where: `chosen.account_id = ? and ${seenBy('chosen.account_id')}`,
  order: 'found.chosen_at desc, found.id desc',
});
const starred = listing(newestFirst('stars'));
const watched = listing(newestFirst('watches'));

/** What an account has starred, the latest first. */
export function listStarredBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return starred(db, viewer, [accountId], paging);
}

/** What an account watches, the latest first. */
export function listWatchedBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return watched(db, viewer, [accountId], paging);
}

const ofParent = listing('r.parent_id = ?');

/** The forks of a repository. */
export function listForksOf(
  db: Db,
  viewer: Viewer,
  parentId: RepositoryId,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return ofParent(db, viewer, [parentId], paging);
}
