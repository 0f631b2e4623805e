import type { TrackerUnit } from '../../../../api/access/levels.ts';
import { seenRepositories } from '../../../../api/access/store/facets.ts';
import {
  packedPermissions,
  permissionJoin,
  permissionsReach,
} from '../../../../api/access/store/repository.ts';
import { hasUnit } from '../../../../api/access/store/trackers.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db } from '../../../../base/database/database.ts';
import { type Fragment, fragment, joined, literal, values } from '../../../../base/database/fragment.ts';
import { listed, query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { type TrackerKinds, unitsOf } from '../../../../hosting/repositories/tracker.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { NOTHING } from '../../listing/store/conditions.ts';

/**
 * Whether the viewer may read `issues i` of `repositories r`, of the searched kinds.
 *
 * @param given of `listGiven`
 */
export function mayRead(viewer: Viewer, kinds: TrackerKinds, given: GivenIds): Fragment {
  const of = (unit: TrackerUnit) => mayReadUnit(viewer, unit, given[unit] ?? NOTHING);
  if (kinds !== 'all') return of(kinds);
  const { openBelow, givenBelow } = seenRepositories(viewer, { onlyOpenToAll: false });
  // The databases estimate from the first condition how many repositories remain.
  return fragment`r.facets < ${Math.max(openBelow, givenBelow)}
    and case +i.is_pull when 1 then ${of('pulls')} else ${of('issues')} end`;
}

/**
 * Whether the viewer may read the code of `repositories r`, or whether it has issues, or pull requests, of its own that the
 * viewer may read. If the repository is open to the viewer, the viewer may read all of it. The level that a team gives
 * depends on the unit.
 */
function mayReadUnit(viewer: Viewer, unit: TrackerUnit | 'code', givenIds: Fragment): Fragment {
  const { openBelow, givenBelow, named } = seenRepositories(viewer, { onlyOpenToAll: false });
  const open = fragment`r.facets < ${openBelow}`;
  const readable = fragment`r.facets < ${givenBelow} and r.id in (${givenIds})`;
  return joined(
    [
      ...(unit === 'code' ? [] : [hasUnit(unit)]),
      givenBelow <= openBelow ? open : fragment`(${open} or (${readable}))`,
      ...(named === null ? [] : [fragment`r.id in (${named})`]),
    ],
    ' and ',
  );
}

/**
 * Repositories that are not open to the viewer, but whose issues, pull requests or code a team or a collaboration lets
 * the viewer read.
 *
 * @param among statement that selects ids; limits the result to these repositories
 */
function givenWith(unit: TrackerUnit | 'code', viewer: Viewer, among?: Fragment): Fragment {
  const { openBelow, given } = seenRepositories(viewer, { onlyOpenToAll: false });
  const isGiven =
    among === undefined ? fragment`r.id in (${given})` : fragment`r.id in (${among}) and +r.id in (${given})`;
  return fragment`select able.id from (
      select r.id, ${packedPermissions(viewer)} as permissions from repositories r join accounts o on o.id = r.owner_id
      ${permissionJoin(viewer)} where ${isGiven} and r.facets >= ${openBelow}) able
    where ${permissionsReach('read', [unit])}`;
}

/** Statements that select ids of repositories. */
type GivenIds = Partial<Readonly<Record<TrackerUnit, Fragment>>>;

/** Looks up repositories once for several statements with `mayRead`, unless there are many. */
export async function listGiven(db: Db, viewer: Viewer, kinds: TrackerKinds): Promise<GivenIds> {
  const given: Partial<Record<TrackerUnit, Fragment>> = {};
  for (const unit of unitsOf(kinds)) given[unit] = await listGivenWith(db, viewer, unit);
  return given;
}

async function listGivenWith(db: Db, viewer: Viewer, unit: TrackerUnit | 'code'): Promise<Fragment> {
  const { openBelow, givenBelow } = seenRepositories(viewer, { onlyOpenToAll: false });
  if (givenBelow <= openBelow) return NOTHING;
  const given = givenWith(unit, viewer);
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

/** Ids of repositories in which the viewer may read issues, and of those in which the viewer may read pull requests. */
export type ReadableIds = Readonly<Record<TrackerUnit, readonly RepositoryId[]>>;

/** Filters repositories by what the viewer may read in them. A kind that is not searched has none. */
export async function listReadable(
  db: Db,
  viewer: Viewer,
  { ids, kinds }: { readonly ids: readonly RepositoryId[]; readonly kinds: TrackerKinds },
): Promise<ReadableIds> {
  const readable: Record<TrackerUnit, readonly RepositoryId[]> = { issues: [], pulls: [] };
  if (ids.length === 0) return readable;
  const among = listed(db, 'id', ids);
  for (const unit of unitsOf(kinds)) readable[unit] = await listWithReadable(db, viewer, { unit, among });
  return readable;
}

/** Returns the condition that the viewer may read the code of `repositories r`. */
export async function mayReadCode(db: Db, viewer: Viewer): Promise<Fragment> {
  return mayReadUnit(viewer, 'code', await listGivenWith(db, viewer, 'code'));
}

/** Filters repositories: returns those whose code the viewer may read. */
export async function listWithReadableCode(
  db: Db,
  viewer: Viewer,
  ids: readonly RepositoryId[],
): Promise<readonly RepositoryId[]> {
  if (ids.length === 0) return [];
  const among = listed(db, 'id', ids);
  return listWithReadable(db, viewer, { unit: 'code', among });
}

/** @param of.among statement that selects ids */
async function listWithReadable(
  db: Db,
  viewer: Viewer,
  { unit, among }: { readonly unit: TrackerUnit | 'code'; readonly among: Fragment },
): Promise<readonly RepositoryId[]> {
  const isReadable = mayReadUnit(viewer, unit, givenWith(unit, viewer, among));
  const rows = await query<{ id: number }>(
    db,
    fragment`select r.id from repositories r where r.id in (${among}) and ${isReadable}`,
  );
  return rows.map(({ id }) => id);
}

/** Whether `issues i` is in one of these repositories. At least one kind has some. */
export function isInReadable({ issues, pulls }: ReadableIds): Fragment {
  const isSameList = issues.length === pulls.length && issues.every((id, at) => id === pulls[at]);
  if (isSameList) return fragment`i.repository_id in (${values(issues)})`;
  const parts = [
    ...(issues.length === 0 ? [] : [fragment`+i.is_pull = 0 and i.repository_id in (${values(issues)})`]),
    ...(pulls.length === 0 ? [] : [fragment`+i.is_pull = 1 and i.repository_id in (${values(pulls)})`]),
  ];
  return fragment`(${joined(parts, ' or ')})`;
}
