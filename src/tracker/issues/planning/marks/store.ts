import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { flag, fragment } from '../../../../base/database/fragment.ts';
import { query, queryCount } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import {
  AUTHOR_JOIN,
  type AuthoredIssue,
  type IssueRow,
  issueColumns,
  issueOfRow,
} from '../../store/issues.ts';

/** The issues of a repository, or its pull requests. Each kind has its own pins. */
interface PinScope {
  readonly repositoryId: RepositoryId;
  readonly isPull: boolean;
}

/** Lists the pinned issues in their order. */
export async function listPinned(
  db: Db,
  viewer: Viewer,
  { repositoryId, isPull }: PinScope,
): Promise<readonly AuthoredIssue[]> {
  const rows = await query<IssueRow>(
    db,
    fragment`select ${issueColumns(viewer)} from issues i ${AUTHOR_JOIN}
      where i.repository_id = ${repositoryId} and i.pin_order > 0 and i.is_pull = ${flag(isPull)}
      order by i.pin_order`,
  );
  return rows.map(issueOfRow);
}

export function countPinned(db: Db, { repositoryId, isPull }: PinScope): Promise<number> {
  return queryCount(
    db,
    fragment`issues where repository_id = ${repositoryId} and pin_order > 0 and is_pull = ${flag(isPull)}`,
  );
}

/** Moves the pinned issues from one position to another one by one step. */
export async function shiftPins(
  tx: Tx,
  { repositoryId, isPull }: PinScope,
  range: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  await query(
    tx,
    fragment`update issues set pin_order = pin_order + ${range.by} where repository_id = ${repositoryId}
      and pin_order >= ${range.from} and pin_order <= ${range.to} and pin_order > 0 and is_pull = ${flag(isPull)}`,
  );
}

/** Moves up the pinned issues after an issue that is no longer pinned. */
export function closePinGap(tx: Tx, issue: PinScope & { readonly pinOrder: number }): Promise<void> {
  return shiftPins(tx, issue, { from: issue.pinOrder + 1, to: ISSUE_LIMITS.pinnedIssuesMax, by: -1 });
}
