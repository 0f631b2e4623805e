import type { Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { Check } from '../model.ts';

/** What a check has found out. */
export interface Checked extends Check {
  readonly mergeBase: Oid | null;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

/**
 * Stores the result of a check, unless the pull request is merged or has another head by now. If the base got all commits
 * of the head, the row keeps what the head has changed before: the pull request may be recorded as merged then, or closed.
 *
 * @returns whether it is stored
 */
export async function setChecked(tx: Tx, issueId: number, checked: Checked): Promise<boolean> {
  const keeps =
    checked.outcome === 'contained'
      ? fragment`checked_head = ${checked.head} and merge_base is not null`
      : fragment`1 = 0`;
  const row = await queryFirst(
    tx,
    fragment`update pulls set checked_base = ${checked.base}, checked_head = ${checked.head},
        outcome = ${checked.outcome}, conflicts = ${JSON.stringify(checked.conflicts)},
        merge_base = case when ${keeps} then merge_base else ${checked.mergeBase} end,
        additions = case when ${keeps} then additions else ${checked.additions} end,
        deletions = case when ${keeps} then deletions else ${checked.deletions} end,
        changed_files = case when ${keeps} then changed_files else ${checked.changedFiles} end
      where issue_id = ${issueId} and head_sha = ${checked.head} and merged_at is null returning issue_id`,
  );
  return row !== undefined;
}

/** Stores what a merged pull request has changed. */
export async function setCounted(
  tx: Tx,
  issueId: number,
  { additions, deletions, changedFiles }: Pick<Checked, 'additions' | 'deletions' | 'changedFiles'>,
): Promise<void> {
  await query(
    tx,
    fragment`update pulls set additions = ${additions}, deletions = ${deletions}, changed_files = ${changedFiles}
      where issue_id = ${issueId} and merged_at is not null`,
  );
}
