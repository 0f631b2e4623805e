import type { EarlierViewer } from '../../../api/access/viewer.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { MergeWish } from '../model.ts';

/**
 * A merge that waits for the protection of its base. Another base cancels it, and so does every push to a head in a fork, a
 * push by someone who may not write the base, and any push if the request named the commit to merge.
 */
export interface ScheduledMerge {
  /** who wants it, and by which credential */
  readonly by: EarlierViewer;
  readonly wish: MergeWish;
}

export async function findScheduled(db: Db, issueId: number): Promise<ScheduledMerge | undefined> {
  const row = await queryFirst<{ wanted: string }>(
    db,
    fragment`select wanted from pull_scheduled_merges where issue_id = ${issueId}`,
  );
  return row && JSON.parse(row.wanted);
}

/** @returns false if one is scheduled already */
export async function insertScheduled(tx: Tx, issueId: number, scheduled: ScheduledMerge): Promise<boolean> {
  const row = await queryFirst(
    tx,
    fragment`insert into pull_scheduled_merges (issue_id, account_id, wanted, created_at)
      values (${issueId}, ${scheduled.by.accountId}, ${JSON.stringify(scheduled)}, ${currentTimeMs()})
      on conflict do nothing returning issue_id`,
  );
  return row !== undefined;
}

/** @returns the issues that had one, in the order of their ids */
export async function deleteScheduled(tx: Tx, issueIds: readonly number[]): Promise<readonly number[]> {
  if (issueIds.length === 0) return [];
  const rows = await query<{ issue_id: number }>(
    tx,
    fragment`delete from pull_scheduled_merges where issue_id in (${values(issueIds)}) returning issue_id`,
  );
  return rows.map(({ issue_id: id }) => id).toSorted((one, other) => one - other);
}

/** Lists the issues of scheduled merges of this head. */
export async function listScheduledOf(
  db: Db,
  { repositoryId, head }: { readonly repositoryId: RepositoryId; readonly head: Oid },
): Promise<readonly number[]> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select s.issue_id from pull_scheduled_merges s cross join pulls p
      where p.issue_id = s.issue_id and p.repository_id = ${repositoryId} and p.head_sha = ${head}
      order by s.issue_id`,
  );
  return rows.map(({ issue_id: id }) => id);
}

/** Lists the issues of all scheduled merges. */
export async function listScheduled(db: Db): Promise<readonly number[]> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select issue_id from pull_scheduled_merges order by issue_id`,
  );
  return rows.map(({ issue_id: id }) => id);
}
