import { TRACKER_UNITS, type TrackerUnit } from '../../../../api/access/levels.ts';
import { accountVisible } from '../../../../api/access/store/account.ts';
import { repositoriesWithReadable } from '../../../../api/access/store/trackers.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, raw, values } from '../../../../base/database/fragment.ts';
import { query, queryCount, queryFirst, queryPage } from '../../../../base/database/query.ts';
import { USER_COLUMNS, type UserColumns } from '../../../../people/accounts/columns.ts';
import type { Stopwatch, TimeRow } from '../../models/times.ts';
import { authorOf } from '../../store/issues.ts';

type Row = {
  time_id: number;
  issue_id: number;
  repository_id: number;
  account_id: number | null;
  seconds: number;
  tracked_at: number;
  shows_author: number;
} & Partial<UserColumns>;

const OF_TIME = raw(
  't.id as time_id, t.issue_id, t.repository_id, t.account_id, t.seconds, t.created_at as tracked_at',
);

function columns(viewer: Viewer): Fragment {
  return fragment`${OF_TIME}, ${accountVisible(viewer)} as shows_author, ${USER_COLUMNS}`;
}

const ACCOUNT_JOIN = raw('left join accounts o on o.id = t.account_id');

function timeOf(row: Row): TimeRow {
  return {
    id: row.time_id,
    issueId: row.issue_id,
    repositoryId: row.repository_id,
    accountId: row.account_id,
    account: authorOf(row),
    seconds: row.seconds,
    createdAt: row.tracked_at,
  };
}

/**
 * What the times of a list belong to: an issue, a repository, or a user in all repositories that the viewer sees. Of a
 * repository, the list has the times of these kinds, and only those of the user `own.accountId` for the kinds of `own`.
 */
export type TimesOf =
  | { readonly issueId: number }
  | {
      readonly repositoryId: number;
      readonly kinds: readonly TrackerUnit[];
      readonly own?: { readonly accountId: number; readonly kinds: readonly TrackerUnit[] } | undefined;
    }
  | { readonly visibleTo: Viewer };

export interface TimeSelection {
  readonly of: TimesOf;
  readonly accountId?: number | undefined;
  readonly since?: number | undefined;
  readonly before?: number | undefined;
}

/** Lists times in the order in which they were added. */
export function listTimes(
  db: Db,
  viewer: Viewer,
  selection: TimeSelection,
  paging: Paging,
): Promise<Page<TimeRow>> {
  const list = {
    select: columns(viewer),
    from: fragment`issue_times t ${ACCOUNT_JOIN} where ${conditionsOf(selection)}`,
    orderBy: raw('t.id'),
  };
  return queryPage(db, list, paging, timeOf);
}

function conditionsOf({ of, accountId, since, before }: TimeSelection): Fragment {
  const conditions = [belongsTo(of, accountId)];
  if (accountId !== undefined) conditions.push(fragment`t.account_id = ${accountId}`);
  if (since !== undefined) conditions.push(fragment`t.created_at >= ${since}`);
  if (before !== undefined) conditions.push(fragment`t.created_at <= ${before}`);
  return joined(conditions, ' and ');
}

function belongsTo(of: TimesOf, accountId: number | undefined): Fragment {
  if ('issueId' in of) return fragment`t.issue_id = ${of.issueId}`;
  if ('repositoryId' in of) {
    const { repositoryId, kinds, own } = of;
    const parts = [isOfKinds(kinds)];
    if (own !== undefined && own.kinds.length > 0)
      parts.push(fragment`(t.account_id = ${own.accountId} or not (${isOfKinds(own.kinds)}))`);
    return fragment`t.repository_id = ${repositoryId} and ${joined(parts, ' and ')}`;
  }
  const worked = fragment`select w.repository_id from issue_times w where w.account_id = ${accountId ?? null}`;
  const readable = TRACKER_UNITS.map((unit) => {
    const ids = repositoriesWithReadable(unit, of.visibleTo, fragment`r.id in (${worked})`);
    return fragment`(t.repository_id in (${ids}) and ${isOfKinds([unit])})`;
  });
  return fragment`(${joined(readable, ' or ')})`;
}

/** Whether `issue_times t` belongs to an issue of one of these kinds. */
function isOfKinds(kinds: readonly TrackerUnit[]): Fragment {
  if (kinds.length === TRACKER_UNITS.length) return raw('1 = 1');
  return fragment`exists (select 1 from issues i
    where i.id = t.issue_id and i.is_pull in (${values(kinds.map((unit) => flag(unit === 'pulls')))}))`;
}

/** Finds a time of an issue. */
export async function findTime(
  db: Db,
  viewer: Viewer,
  { id, issueId }: { readonly id: number; readonly issueId: number },
): Promise<TimeRow | undefined> {
  const row = await queryFirst<Row>(
    db,
    fragment`select ${columns(viewer)} from issue_times t ${ACCOUNT_JOIN} where t.id = ${id} and t.issue_id = ${issueId}`,
  );
  return row && timeOf(row);
}

export function countTimes(db: Db, issueId: number): Promise<number> {
  return queryCount(db, fragment`issue_times where issue_id = ${issueId}`);
}

export async function insertTime(
  tx: Tx,
  time: Pick<TimeRow, 'issueId' | 'repositoryId' | 'seconds' | 'createdAt'> & { readonly accountId: number },
): Promise<number> {
  const { id } = await tx
    .insertInto('issue_times')
    .values({
      issue_id: time.issueId,
      repository_id: time.repositoryId,
      account_id: time.accountId,
      seconds: time.seconds,
      created_at: time.createdAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface DeletedTime {
  readonly id: number;
  readonly seconds: number;
}

export function deleteTime(tx: Tx, id: number): Promise<readonly DeletedTime[]> {
  return query(tx, fragment`delete from issue_times where id = ${id} returning id, seconds`);
}

/** Deletes the times of a user on an issue. */
export function deleteTimesOf(
  tx: Tx,
  of: { readonly issueId: number; readonly accountId: number },
): Promise<readonly DeletedTime[]> {
  return query(
    tx,
    fragment`delete from issue_times where issue_id = ${of.issueId} and account_id = ${of.accountId}
      returning id, seconds`,
  );
}

export async function findStopwatch(db: Db, accountId: number): Promise<Stopwatch | undefined> {
  const row = await queryFirst<{ issue_id: number; repository_id: number; started_at: number }>(
    db,
    fragment`select w.issue_id, i.repository_id, w.started_at from issue_stopwatches w
      join issues i on i.id = w.issue_id where w.account_id = ${accountId}`,
  );
  return row && { issueId: row.issue_id, repositoryId: row.repository_id, startedAt: row.started_at };
}

export async function insertStopwatch(
  tx: Tx,
  watch: { readonly accountId: number; readonly issueId: number; readonly startedAt: number },
): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_stopwatches (account_id, issue_id, started_at)
      values (${watch.accountId}, ${watch.issueId}, ${watch.startedAt})`,
  );
}

export async function deleteStopwatch(tx: Tx, accountId: number): Promise<void> {
  await query(tx, fragment`delete from issue_stopwatches where account_id = ${accountId}`);
}
