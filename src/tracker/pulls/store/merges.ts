import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { PullState } from '../model.ts';

/** Records that a pull request is merged. */
export async function setMerged(
  tx: Tx,
  issueId: number,
  merged: {
    readonly at: number;
    readonly accountId: number | null;
    readonly sha: Oid;
    readonly base: Oid | null;
  },
): Promise<void> {
  await query(
    tx,
    fragment`update pulls set merged_at = ${merged.at}, merged_by = ${merged.accountId}, merged_sha = ${merged.sha},
        merge_base = coalesce(${merged.base}, merge_base)
      where issue_id = ${issueId}`,
  );
}

/**
 * Gives the open pull requests with one base another one. Those that would then have the base of another open pull request
 * between the same branches stay.
 *
 * @returns the pull requests that have another base now, in the order of their ids
 */
export async function retargetAll(
  tx: Tx,
  repositoryId: RepositoryId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly Pick<PullState, 'issueId' | 'number'>[]> {
  const rows = await query<{ issue_id: number; number: number }>(
    tx,
    fragment`update pulls set base_branch = ${to} where repository_id = ${repositoryId} and base_branch = ${from}
      and is_open = 1
      and not (head_repository_id = ${repositoryId} and head_branch = ${to} and flow = 'branch')
      and not exists (select 1 from pulls other where other.head_repository_id = pulls.head_repository_id
        and other.head_branch = pulls.head_branch and other.repository_id = ${repositoryId}
        and other.base_branch = ${to} and other.is_open = 1 and other.flow = pulls.flow)
      returning issue_id, number`,
  );
  const pulls = rows.map(({ issue_id: issueId, number }) => ({ issueId, number }));
  return pulls.toSorted((one, other) => one.issueId - other.issueId);
}

/** Whether a branch is the head of an open pull request. */
export async function isHeadOfOpen(db: Db, repositoryId: RepositoryId, branch: string): Promise<boolean> {
  const found = await queryFirst(
    db,
    fragment`select 1 from pulls p where p.head_repository_id = ${repositoryId} and p.is_open = 1
      and p.head_branch = ${branch} and p.flow = 'branch' limit 1`,
  );
  return found !== undefined;
}
