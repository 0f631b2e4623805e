import type { Permissions } from '../../api/access/levels.ts';
import { permissionsOf, standingOf } from '../../api/access/packing.ts';
import type { OwnerKind } from '../../api/access/policy.ts';
import type { Standing } from '../../api/access/standing.ts';
import { accountVisible } from '../../api/access/store/account.ts';
import { seenRepositories } from '../../api/access/store/facets.ts';
import { organizationStanding } from '../../api/access/store/organization.ts';
import { packedPermissions, permissionJoin } from '../../api/access/store/repository.ts';
import { hasUnit } from '../../api/access/store/trackers.ts';
import { idOf, overridesRights, type Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { RecordedEvent } from '../../base/events/model.ts';
import { readEventsAt } from '../../base/events/store.ts';
import { EVENT_FEED_LIMITS } from './limits.ts';
import type { FeedScope } from './model.ts';

interface LogBounds {
  /** position of the last event that was deleted; 0: none */
  readonly deletedTo: number;
  /** of the newest event; not below `deletedTo` */
  readonly newest: number;
}

export async function findLogBounds(db: Db): Promise<LogBounds> {
  const row = await queryFirst<{ deleted_to: number; newest: number | null }>(
    db,
    fragment`select deleted_to, (select max(position) from events) as newest from event_log`,
  );
  const deletedTo = row?.deleted_to ?? 0;
  return { deletedTo, newest: Math.max(row?.newest ?? 0, deletedTo) };
}

interface Scan {
  readonly scope: FeedScope;
  readonly after: number;
  /** position of the newest event: read before, so that events that are committed meanwhile are not skipped */
  readonly newest: number;
  readonly limit: number;
  /** stored bytes of the events; of an empty page, the first event may have more */
  readonly bytesMax: number;
  /** whether the page is empty */
  readonly isFirst: boolean;
}

interface Scanned {
  readonly events: readonly RecordedEvent[];
  /** stored bytes of the events */
  readonly bytes: number;
  /** Everything up to here was looked at. */
  readonly position: number;
  /** whether the scan ended because there is no room for more events */
  readonly isCut: boolean;
}

/**
 * Reads the next events that the viewer may be able to see, from a bounded part of the log. All events that it leaves out
 * are of repositories that are hidden from the viewer.
 */
export async function scanEvents(db: Db, viewer: Viewer, scan: Scan): Promise<Scanned> {
  const { scope, after, newest, limit } = scan;
  if (newest <= after) return { events: [], bytes: 0, position: after, isCut: false };
  const upTo = await findEndOfScan(db, scan);
  const candidates = await query<{ position: number; bytes: number }>(
    db,
    fragment`select e.position, ${BYTES} as bytes
      from events e left join repositories r on r.id = e.repository_id
      where ${isOf(scope)} and e.position > ${after} and e.position <= ${upTo} ${mayBeSeen(viewer)}
      order by e.position limit ${limit}`,
  );
  const read = withinBytes(candidates, scan);
  const isCut = read.length < candidates.length || candidates.length === limit;
  const events = await readEventsAt(
    db,
    read.map(({ position }) => position),
  );
  const bytes = read.reduce((sum, each) => sum + each.bytes, 0);
  return { events, bytes, position: isCut ? (read.at(-1)?.position ?? after) : upTo, isCut };
}

/** Both databases find this without reading a long text. */
const BYTES = raw('octet_length(e.payload) + coalesce(octet_length(e.former), 0)');

async function findEndOfScan(db: Db, { scope, after, newest }: Scan): Promise<number> {
  const row = await queryFirst<{ position: number }>(
    db,
    fragment`select e.position from events e where ${isOf(scope)} and e.position > ${after} and e.position <= ${newest}
      order by e.position limit 1 offset ${EVENT_FEED_LIMITS.eventsScannedAtOnceMax - 1}`,
  );
  return row?.position ?? newest;
}

function isOf(scope: FeedScope): Fragment {
  if (scope.of === 'all') return raw('1 = 1');
  return scope.of === 'repository'
    ? fragment`e.repository_id = ${scope.id}`
    : fragment`e.owner_id = ${scope.id}`;
}

/** Leaves out events of hidden repositories. Expects `events e` and `repositories r`, which may be missing. */
function mayBeSeen(viewer: Viewer): Fragment {
  if (overridesRights(viewer)) return raw('');
  const { openBelow, givenBelow, given, named } = seenRepositories(viewer, { onlyOpenToAll: false });
  const isSeen = fragment`(r.facets < ${openBelow} or (r.facets < ${givenBelow} and r.id in (${given}))
    or r.is_in_transfer = 1)`;
  const isNamed = named === null ? raw('1 = 1') : fragment`r.id in (${named})`;
  return fragment`and (r.id is null or (${isSeen} and ${isNamed}))`;
}

/** Returns the first ones that the page has room for. */
function withinBytes<Sized extends { readonly bytes: number }>(
  candidates: readonly Sized[],
  { bytesMax, isFirst }: Pick<Scan, 'bytesMax' | 'isFirst'>,
): readonly Sized[] {
  let bytes = 0;
  const end = candidates.findIndex((candidate) => {
    bytes += candidate.bytes;
    return bytes > bytesMax;
  });
  return end === -1 ? candidates : candidates.slice(0, Math.max(end, isFirst ? 1 : 0));
}

/** What a viewer may do with a repository that the viewer sees. */
export interface SeenRepository {
  readonly permissions: Permissions;
  readonly ownerKind: OwnerKind;
  readonly hasIssues: boolean;
  readonly hasPulls: boolean;
  readonly hasReleases: boolean;
  readonly hasWiki: boolean;
}

/** Finds those of some repositories that the viewer sees, by their ids. */
export async function findSeenRepositories(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SeenRepository>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{
    id: number;
    kind: OwnerKind;
    issues: number;
    pulls: number;
    has_releases: number;
    wiki: string;
    permissions: number;
  }>(
    db,
    fragment`select r.id, o.kind, r.wiki, case when ${hasUnit('issues')} then 1 else 0 end as issues,
        case when ${hasUnit('pulls')} then 1 else 0 end as pulls, r.has_releases,
        ${packedPermissions(viewer)} as permissions
      from repositories r join accounts o on o.id = r.owner_id ${permissionJoin(viewer)}
      where r.id in (${values(ids)})`,
  );
  return new Map(
    rows
      .filter(({ permissions }) => permissions > 0)
      .map(({ id, kind, issues, pulls, has_releases, wiki, permissions }) => [
        id,
        {
          permissions: permissionsOf(permissions),
          ownerKind: kind,
          hasIssues: issues === 1,
          hasPulls: pulls === 1,
          hasReleases: has_releases === 1,
          hasWiki: wiki === 'built-in',
        },
      ]),
  );
}

/** An account or organization as a viewer sees it. */
export interface SeenAccount {
  readonly name: string;
  readonly showsActivity: boolean;
  /** in an organization; undefined for a user */
  readonly standing: Standing | undefined;
}

/** Finds those of some accounts and organizations that the viewer sees, by their ids. */
export async function findSeenAccounts(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SeenAccount>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: number; kind: OwnerKind; name: string; shows: number; standing: number }>(
    db,
    fragment`select o.id, o.kind, o.name, ${organizationStanding(viewer)} as standing,
        case when o.hides_activity = 0 or o.id = ${idOf(viewer)} or ${flag(overridesRights(viewer))} = 1
          then 1 else 0 end as shows
      from accounts o where o.id in (${values(ids)}) and ${accountVisible(viewer)} = 1`,
  );
  return new Map(
    rows.map(({ id, kind, name, shows, standing }) => [
      id,
      {
        name,
        showsActivity: shows === 1,
        standing: kind === 'organization' ? standingOf(standing) : undefined,
      },
    ]),
  );
}
