import { hasScope } from '../../../api/access/scopes.ts';
import { accountVisible } from '../../../api/access/store/account.ts';
import { seenRepositories } from '../../../api/access/store/facets.ts';
import {
  packedPermissions,
  permissionJoin,
  permissionsReach,
  repositoriesWith,
} from '../../../api/access/store/repository.ts';
import { idOf, overridesRights, type Viewer } from '../../../api/access/viewer.ts';
import type { Db } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, literal, raw, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import { ACTIVITY_LIMITS } from '../limits.ts';
import type { ActivityIssue, ActivityUnit, Contributions, Day, Feed, OpType } from '../model.ts';
import { byUnit, IS_SWITCHED_ON, UNIT_CODES, UNITS_READ } from './units.ts';

/** A row, without what the features of repositories and comments add. */
export interface ActivityRow {
  readonly id: number;
  readonly opType: OpType;
  readonly actor: ShownAccount;
  readonly repositoryId: RepositoryId;
  readonly issue: ActivityIssue | null;
  readonly entryId: number | null;
  /** the beginning of the comment on lines; null: the activity has none */
  readonly lineComment: string | null;
  readonly refName: string;
  readonly content: string;
  /** of a transfer; null for others, and for an account that was deleted */
  readonly formerOwnerId: number | null;
  readonly at: number;
}

const LATEST_FIRST = raw('created_at desc, id desc');

/**
 * Lists the ids of the activities of a feed that the viewer may see now, the latest first. The list ends after a bounded
 * number.
 */
export async function listActivityIds(
  db: Db,
  viewer: Viewer,
  { feed, day }: { readonly feed: Feed; readonly day: Day | undefined },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(db, firstOf(viewer, feed, day));
  return rows.map(({ id }) => id);
}

function firstOf(viewer: Viewer, feed: Feed, day: Day | undefined): Fragment {
  const first = (condition: Fragment) =>
    fragment`select a.id, a.created_at from activities a join repositories r on r.id = a.repository_id
        join accounts o on o.id = r.owner_id ${permissionJoin(viewer)}
      where ${condition} and ${isVisible(viewer)} order by a.created_at desc, a.id desc limit ${LISTED_MAX}`;
  switch (feed.of) {
    case 'repository':
      return first(fragment`a.repository_id = ${feed.id} and ${isOfDay('a', day)}`);
    case 'performer':
      return first(isRecent('actor_id', feed.id, day));
    case 'owner':
      return first(isRecent('owner_id', feed.id, day));
    case 'team':
      return first(fragment`${isRecent('owner_id', feed.organizationId, day)} and exists (select 1 from teams t
        where t.id = ${feed.id} and (t.includes_all_repositories = 1 or exists (select 1 from team_repositories x
          where x.team_id = t.id and x.repository_id = a.repository_id)))`);
    case 'reader':
      // Each half is found by its own index.
      return fragment`select id, created_at from (select * from (${first(isRecent('actor_id', feed.id, day))}) own
        union select * from (${first(isWatched(viewer, feed.id, day))}) watched) both_of
        order by ${LATEST_FIRST} limit ${LISTED_MAX}`;
  }
}

const LISTED_MAX = literal(ACTIVITY_LIMITS.listedMax);
const SEARCHED_MAX = literal(ACTIVITY_LIMITS.searchedMax);

function isOfDay(alias: 'a' | 'b', day: Day | undefined): Fragment {
  const at = raw(`${alias}.created_at`);
  return day === undefined ? raw('1 = 1') : fragment`${at} >= ${day.from} and ${at} < ${day.to}`;
}

/** A viewer who sees few of them must not make the statement look at a year of activities. */
function isRecent(column: 'actor_id' | 'owner_id', id: number, day: Day | undefined): Fragment {
  const name = raw(column);
  if (day !== undefined) return fragment`a.${name} = ${id} and ${isOfDay('a', day)}`;
  return fragment`a.${name} = ${id} and a.created_at >= coalesce((select b.created_at from activities b
    where b.${name} = ${id} order by b.created_at desc limit 1 offset ${SEARCHED_MAX}), 0)`;
}

/** Sorting the entries of an index takes much less than checking each activity. */
function isWatched(viewer: Viewer, accountId: number, day: Day | undefined): Fragment {
  const watched = fragment`r.id in (select w.repository_id from watches w where w.account_id = ${accountId})`;
  return fragment`a.id in (select id from (select b.id from activities b
    where b.repository_id in (${seenAmong(viewer, watched)}) and ${isOfDay('b', day)}
    order by b.created_at desc, b.id desc limit ${LISTED_MAX}) latest)`;
}

/** Statement that selects the ids of those of some repositories that the viewer sees. @param condition on `repositories r` */
function seenAmong(viewer: Viewer, condition: Fragment): Fragment {
  const { openBelow, givenBelow, given, named } = seenRepositories(viewer, { onlyOpenToAll: false });
  const isNamed = named === null ? raw('1 = 1') : fragment`r.id in (${named})`;
  return fragment`select r.id from repositories r where ${condition} and ${isNamed}
    and (r.facets < ${openBelow} or (r.facets < ${givenBelow} and r.id in (${given})))`;
}

/**
 * Whether the viewer may see an activity: the unit that it is about, and the account that acted, which may hide what it
 * does. Expects `activities a`, `repositories r`, `accounts o` (the owner) and `permissionJoin`.
 */
function isVisible(viewer: Viewer): Fragment {
  const { openBelow, named } = seenRepositories(viewer, { onlyOpenToAll: false });
  // In a repository that is open to the viewer, all units are. Otherwise, the levels of the viewer decide.
  const isOpen = fragment`r.facets < ${literal(named === null ? openBelow : 0)}`;
  // The limit lets a database neither repeat the large expression for each unit nor plan each copy of it.
  const isReadable = fragment`exists (select 1 from (select ${packedPermissions(viewer)} as permissions limit 1) able
    where ${byUnit((unit) => permissionsReach('read', UNITS_READ[unit]))})`;
  return fragment`${IS_SWITCHED_ON} and ${isWithinScopes(viewer)} and (${isOpen} or ${isReadable})
    and ${isOfShownActor(viewer)}`;
}

/** Titles and comments need the scope of issues, as everywhere. */
function isWithinScopes({ scopes }: Viewer): Fragment {
  if (hasScope(scopes, 'read:issue')) return raw('1 = 1');
  return fragment`a.unit not in (${literal(UNIT_CODES.issues)}, ${literal(UNIT_CODES.pulls)})`;
}

function isOfShownActor(viewer: Viewer): Fragment {
  return fragment`exists (select 1 from accounts o where o.id = a.actor_id and ${accountVisible(viewer)} = 1
    and (o.hides_activity = 0 or o.id = ${idOf(viewer)} or ${flag(overridesRights(viewer))} = 1))`;
}

type ActivityColumns = {
  activity_id: number;
  op_type: OpType;
  repository_id: number;
  issue_number: number | null;
  issue_title: string | null;
  is_pull: number | null;
  entry_id: number | null;
  line_comment: string | null;
  ref_name: string;
  content: string;
  former_owner_id: number | null;
  acted_at: number;
} & UserColumns;

/** Reads activities by their ids, the latest first. */
export async function readActivities(db: Db, ids: readonly number[]): Promise<readonly ActivityRow[]> {
  if (ids.length === 0) return [];
  const rows = await query<ActivityColumns>(
    db,
    fragment`select a.id as activity_id, a.op_type, a.repository_id, a.entry_id, a.ref_name, a.content,
        a.former_owner_id, a.created_at as acted_at, i.number as issue_number, i.title as issue_title, i.is_pull,
        substr(c.body, 1, ${literal(ACTIVITY_LIMITS.textCharsMax + 1)}) as line_comment, ${USER_COLUMNS}
      from activities a join accounts o on o.id = a.actor_id left join issues i on i.id = a.issue_id
        left join pull_review_comments c on c.id = a.line_comment_id
      where a.id in (${values(ids)}) order by a.created_at desc, a.id desc`,
  );
  return rows.map((row) => ({
    id: row.activity_id,
    opType: row.op_type,
    actor: userOfColumns(row),
    repositoryId: row.repository_id,
    issue:
      row.issue_number === null
        ? null
        : { number: row.issue_number, title: row.issue_title ?? '', isPull: row.is_pull === 1 },
    entryId: row.entry_id,
    lineComment: row.line_comment,
    refName: row.ref_name,
    content: row.content,
    formerOwnerId: row.former_owner_id,
    at: row.acted_at,
  }));
}

const QUARTER_SECONDS = 15 * 60;

/**
 * Counts what an account did in each quarter of an hour, or what happened in the repositories of an organization, as far as
 * the viewer may see it.
 *
 * @param since ms
 */
export async function countContributions(
  db: Db,
  viewer: Viewer,
  feed: Feed & { readonly of: 'performer' | 'owner' },
  since: number,
): Promise<readonly Contributions[]> {
  const column = raw(feed.of === 'owner' ? 'owner_id' : 'actor_id');
  const isTheirs = (alias: string) =>
    fragment`${raw(alias)}.${column} = ${feed.id} and ${raw(alias)}.created_at >= ${since}`;
  // The repositories are few, compared with the activities.
  const among = fragment`r.id in (select b.repository_id from activities b where ${isTheirs('b')})`;
  const readable = (unit: ActivityUnit) =>
    unit === 'any'
      ? seenAmong(viewer, among)
      : repositoriesWith({ level: 'read', units: UNITS_READ[unit] }, viewer, among);
  const isReadable = byUnit((unit) => fragment`a.repository_id in (${readable(unit)})`);
  const isShown = feed.of === 'owner' ? isOfShownActor(viewer) : raw('1 = 1');
  const rows = await query<{ quarter: number; count: number }>(
    db,
    fragment`select a.created_at / ${literal(QUARTER_SECONDS * 1_000)} as quarter, count(*) as count from activities a
      where ${isTheirs('a')} and ${isReadable} and ${isShown}
      group by a.created_at / ${literal(QUARTER_SECONDS * 1_000)} order by 1`,
  );
  return rows.map(({ quarter, count }) => ({ seconds: quarter * QUARTER_SECONDS, count }));
}
