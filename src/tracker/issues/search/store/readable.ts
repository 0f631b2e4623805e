import { seenRepositories } from '../../../../api/access/store/facets.ts';
import {
  packedPermissions,
  permissionJoin,
  permissionsReach,
} from '../../../../api/access/store/repository.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db } from '../../../../base/database/database.ts';
import { type Fragment, fragment, joined, literal } from '../../../../base/database/fragment.ts';
import { listed, query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { NOTHING } from '../../listing/store/conditions.ts';

/**
 * Whether `repositories r` has a tracker of its own whose issues the viewer may read. If the repository is open to the
 * viewer, the viewer may read all of it. The level that a team gives depends on the unit.
 */
export function mayReadIssues(viewer: Viewer, givenIds = givenWithReadableIssues(viewer)): Fragment {
  const { openBelow, givenBelow, named } = seenRepositories(viewer, { onlyOpenToAll: false });
  const open = fragment`r.facets < ${openBelow}`;
  const readable = fragment`r.facets < ${givenBelow} and r.id in (${givenIds})`;
  return joined(
    [
      fragment`r.issues = 'built-in'`,
      givenBelow <= openBelow ? open : fragment`(${open} or (${readable}))`,
      ...(named === null ? [] : [fragment`r.id in (${named})`]),
    ],
    ' and ',
  );
}

/**
 * Repositories that are not open to the viewer, but whose issues a team or a collaboration lets the viewer read.
 *
 * @param among statement that selects ids; limits the result to these repositories
 */
function givenWithReadableIssues(viewer: Viewer, among?: Fragment): Fragment {
  const { openBelow, given } = seenRepositories(viewer, { onlyOpenToAll: false });
  const isGiven =
    among === undefined ? fragment`r.id in (${given})` : fragment`r.id in (${among}) and +r.id in (${given})`;
  return fragment`select able.id from (
      select r.id, ${packedPermissions(viewer)} as permissions from repositories r join accounts o on o.id = r.owner_id
      ${permissionJoin(viewer)} where ${isGiven} and r.facets >= ${openBelow}) able
    where ${permissionsReach('read', ['issues'])}`;
}

/**
 * Looks up repositories once for several statements with `mayReadIssues`, unless there are many.
 *
 * @returns statement that selects ids of repositories
 */
export async function listGivenWithReadableIssues(db: Db, viewer: Viewer): Promise<Fragment> {
  const { openBelow, givenBelow } = seenRepositories(viewer, { onlyOpenToAll: false });
  if (givenBelow <= openBelow) return NOTHING;
  const given = givenWithReadableIssues(viewer);
  const idsMax = ISSUE_LIMITS.givenRepositoriesListedMax;
  const rows = await query<{ id: number }>(db, fragment`${given} limit ${literal(idsMax + 1)}`);
  if (rows.length > idsMax) return given;
  if (rows.length === 0) return NOTHING;
  return listed(
    db,
    'id',
    rows.map(({ id }) => id),
  );
}

/** Filters repositories: lists those in which the viewer may read issues. */
export async function listWithReadableIssues(
  db: Db,
  viewer: Viewer,
  ids: readonly RepositoryId[],
): Promise<readonly RepositoryId[]> {
  if (ids.length === 0) return [];
  const among = listed(db, 'id', ids);
  const mayRead = mayReadIssues(viewer, givenWithReadableIssues(viewer, among));
  const rows = await query<{ id: number }>(
    db,
    fragment`select r.id from repositories r where r.id in (${among}) and ${mayRead}`,
  );
  return rows.map(({ id }) => id);
}
