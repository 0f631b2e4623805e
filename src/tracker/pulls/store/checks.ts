import type { Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { Check } from '../model.ts';

/** What a check has found out. */
export interface Checked extends Check {
  readonly mergeBase: Oid | null;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

/** Stores the result of a check, unless the pull request is merged or has another head by now. */
export async function setChecked(tx: Tx, issueId: number, checked: Checked): Promise<void> {
  await query(
    tx,
    fragment`update pulls set checked_base = ${checked.base}, checked_head = ${checked.head},
        outcome = ${checked.outcome}, conflicts = ${JSON.stringify(checked.conflicts)},
        merge_base = ${checked.mergeBase}, additions = ${checked.additions}, deletions = ${checked.deletions},
        changed_files = ${checked.changedFiles}
      where issue_id = ${issueId} and head_sha = ${checked.head} and merged_at is null`,
  );
}
