import { repositoriesWithReadable } from '../../../api/access/store/trackers.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, raw, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryPage } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { NOTIFICATION_LIMITS } from '../limits.ts';
import type { Subject, ThreadFilter, ThreadStatus } from '../model.ts';

/** A row, without what other tables add. */
export interface ThreadRow {
  readonly id: number;
  readonly accountId: number;
  readonly issueId: number;
  readonly repositoryId: RepositoryId;
  readonly status: ThreadStatus;
  readonly updatedAt: number;
}

type ThreadColumns = {
  id: number;
  account_id: number;
  issue_id: number;
  repository_id: number;
  status: number;
  updated_at: number;
};

const LATEST_FIRST = raw('n.updated_at desc, n.id desc');
const COLUMNS = raw('n.id, n.account_id, n.issue_id, n.repository_id, n.status, n.updated_at');

export const STATUS_CODES = { unread: 1, read: 2, pinned: 3 } as const satisfies Record<ThreadStatus, number>;
const STATUSES = Object.keys(STATUS_CODES) as readonly ThreadStatus[];

function rowOf(row: ThreadColumns): ThreadRow {
  return {
    id: row.id,
    accountId: row.account_id,
    issueId: row.issue_id,
    repositoryId: row.repository_id,
    status: STATUSES.find((status) => STATUS_CODES[status] === row.status) ?? 'unread',
    updatedAt: row.updated_at,
  };
}

/** Threads of one account. */
export interface ThreadSelection extends ThreadFilter {
  readonly accountId: number;
  readonly repositoryId?: RepositoryId;
}

/** Lists those threads of a selection whose issues the viewer may read, the latest first. */
export async function listThreads(
  db: Db,
  viewer: Viewer,
  selection: ThreadSelection,
  paging: Paging,
): Promise<Page<ThreadRow>> {
  // An index has what this statement reads of most threads, so that only the rows of the page are read from the table.
  const list = {
    select: raw('n.id'),
    from: fragment`notification_threads n where ${conditionOf(viewer, selection)}`,
    orderBy: LATEST_FIRST,
  };
  const { items, total } = await queryPage(db, list, paging, ({ id }: { id: number }) => id);
  return { items: await findRows(db, items), total };
}

async function findRows(db: Db, ids: readonly number[], also = raw('1 = 1')): Promise<readonly ThreadRow[]> {
  if (ids.length === 0) return [];
  const rows = await query<ThreadColumns>(
    db,
    fragment`select ${COLUMNS} from notification_threads n where n.id in (${values(ids)}) and ${also}
      order by ${LATEST_FIRST}`,
  );
  return rows.map(rowOf);
}

export function countThreads(db: Db, viewer: Viewer, selection: ThreadSelection): Promise<number> {
  return queryCount(db, fragment`notification_threads n where ${conditionOf(viewer, selection)}`);
}

/** Finds those of some threads of an account whose issues the viewer may read, the latest first. */
export function findThreads(
  db: Db,
  viewer: Viewer,
  accountId: number,
  ids: readonly number[],
): Promise<readonly ThreadRow[]> {
  return findRows(db, ids, conditionOf(viewer, { accountId }));
}

/** Finds the threads of an account about some issues, as far as the viewer may read these. */
export async function findThreadsOf(
  db: Db,
  viewer: Viewer,
  { accountId, issueIds }: { accountId: number; issueIds: readonly number[] },
): Promise<readonly ThreadRow[]> {
  if (issueIds.length === 0) return [];
  const rows = await query<ThreadColumns>(
    db,
    fragment`select ${COLUMNS} from notification_threads n
      where n.issue_id in (${values(issueIds)}) and ${conditionOf(viewer, { accountId })}`,
  );
  return rows.map(rowOf);
}

/** Finds a thread of any account, without authorization. */
export async function findThread(db: Db, id: number): Promise<ThreadRow | undefined> {
  const [row] = await findRows(db, [id]);
  return row;
}

export async function setStatus(tx: Tx, id: number, status: ThreadStatus): Promise<void> {
  await query(
    tx,
    fragment`update notification_threads set status = ${STATUS_CODES[status]} where id = ${id}`,
  );
}

/**
 * Sets the status of threads of a selection that have another one, and whose issues the viewer may read: a bounded
 * number, the latest first.
 *
 * @returns their ids
 */
export async function setStatuses(
  tx: Tx,
  viewer: Viewer,
  selection: ThreadSelection,
  status: ThreadStatus,
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`select n.id from notification_threads n
      where ${conditionOf(viewer, selection)} and n.status <> ${STATUS_CODES[status]}
      order by ${LATEST_FIRST} limit ${NOTIFICATION_LIMITS.notificationsMarkedAtOnceMax}`,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await query(
    tx,
    // A thread that has just taken in another event is not what the caller has seen.
    fragment`update notification_threads set status = ${STATUS_CODES[status]}
      where id in (${values(ids)}) and updated_at <= ${selection.before ?? Number.MAX_SAFE_INTEGER}`,
  );
  return ids;
}

/** On `notification_threads n`. */
function conditionOf(viewer: Viewer, selection: ThreadSelection): Fragment {
  const { accountId, repositoryId, statuses, subjects, since, before } = selection;
  const hasStatus =
    statuses === undefined
      ? raw('')
      : fragment`and status in (${values(statuses.map((each) => STATUS_CODES[each]))})`;
  const ofAccount = fragment`select repository_id from notification_threads where account_id = ${accountId} ${hasStatus}`;
  const named = repositoryId === undefined ? ofAccount : fragment`${repositoryId}`;
  const conditions = [
    fragment`n.account_id = ${accountId} ${hasStatus} and ${isReadable(viewer, fragment`r.id in (${named})`)}`,
  ];
  if (since !== undefined) conditions.push(fragment`n.updated_at >= ${since}`);
  if (before !== undefined) conditions.push(fragment`n.updated_at <= ${before}`);
  if (subjects?.length === 0) conditions.push(raw('1 = 0'));
  else if (subjects !== undefined)
    conditions.push(fragment`exists (select 1 from issues i where i.id = n.issue_id
      and i.is_pull in (${values(subjects.map((each) => flag(each === 'pull')))}))`);
  return joined(conditions, ' and ');
}

/**
 * Whether the viewer may read the issue of `notification_threads n`. Its row is read only if its repository shows one
 * kind to the viewer, but not the other.
 *
 * @param isNamed condition on `repositories r`
 */
function isReadable(viewer: Viewer, isNamed: Fragment): Fragment {
  const issues = repositoriesWithReadable('issues', viewer, isNamed);
  const pulls = repositoriesWithReadable('pulls', viewer, isNamed);
  const isPull = raw('(select i.is_pull from issues i where i.id = n.issue_id)');
  return fragment`case (case when n.repository_id in (${issues}) then 1 else 0 end)
      + (case when n.repository_id in (${pulls}) then 2 else 0 end)
    when 3 then 1 = 1 when 2 then ${isPull} = 1 when 1 then ${isPull} = 0 else 1 = 0 end`;
}

/** Reads what threads are about, by the ids of the issues. */
export async function findSubjects(
  db: Db,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, Subject>> {
  const rows = await query<{
    id: number;
    number: number;
    title: string;
    is_pull: number;
    is_closed: number;
    is_merged: number;
    entry_id: number | null;
    review_id: number | null;
  }>(
    db,
    fragment`select i.id, i.number, i.title, i.is_pull, i.is_closed,
        (select count(*) from pulls p where p.issue_id = i.id and p.merged_at is not null) as is_merged,
        t.id as entry_id,
        (select v.id from pull_reviews v where v.issue_id = i.id and v.entry_id = t.id) as review_id
      from issues i left join issue_entries t on t.id = (select e.id from issue_entries e
          where e.issue_id = i.id and (e.kind = 'comment' or (e.kind = 'review' and e.body <> ''))
          order by e.id desc limit 1)
      where i.id in (${values(issueIds)})`,
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        number: row.number,
        title: row.title,
        isPull: row.is_pull === 1,
        isClosed: row.is_closed === 1,
        isMerged: row.is_merged === 1,
        latestText: row.entry_id === null ? null : { entryId: row.entry_id, reviewId: row.review_id },
      },
    ]),
  );
}
