import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, literal } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

// What moves of branches do to pull requests. Branches are short names.

/** An open pull request whose head is a branch that moves. */
export interface MovingHead {
  readonly issueId: number;
  /** of the base */
  readonly repositoryId: RepositoryId;
  readonly number: number;
  readonly branch: string;
  readonly sha: string;
}

/** Lists the open pull requests whose heads are in some branches of a repository. */
export async function listOpenWithHead(
  db: Db,
  headRepositoryId: RepositoryId,
  branches: readonly string[],
): Promise<readonly MovingHead[]> {
  const rows = await query<{
    issue_id: number;
    repository_id: number;
    number: number;
    head_branch: string;
    head_sha: string;
  }>(
    db,
    fragment`select p.issue_id, p.repository_id, p.number, p.head_branch, p.head_sha
      from (${listed(db, 'branch', branches)}) moved cross join pulls p
      where p.head_repository_id = ${headRepositoryId} and p.head_branch = moved.branch
        and p.is_open = 1 and p.flow = 'branch'`,
  );
  return rows.map((row) => ({
    issueId: row.issue_id,
    repositoryId: row.repository_id,
    number: row.number,
    branch: row.head_branch,
    sha: row.head_sha,
  }));
}

/** Filters branches: lists those that are bases of open pull requests. */
export async function listBases(
  db: Db,
  repositoryId: RepositoryId,
  branches: readonly string[],
): Promise<readonly string[]> {
  const rows = await query<{ branch: string }>(
    db,
    fragment`select moved.branch from (${listed(db, 'branch', branches)}) moved
      where exists (select 1 from pulls p where p.repository_id = ${repositoryId}
        and p.base_branch = moved.branch and p.is_open = 1)`,
  );
  return rows.map(({ branch }) => branch);
}

/** Lists the next open pull requests with this base, by the id of their issue. */
export async function listOpenWithBase(
  db: Db,
  { repositoryId, branch }: { readonly repositoryId: RepositoryId; readonly branch: string },
  { after, countMax }: { readonly after: number; readonly countMax: number },
): Promise<readonly number[]> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select p.issue_id from pulls p where p.repository_id = ${repositoryId} and p.base_branch = ${branch}
      and p.is_open = 1 and p.issue_id > ${after} order by p.issue_id limit ${literal(countMax)}`,
  );
  return rows.map(({ issue_id: id }) => id);
}

/** Records that branches exist or are gone. */
export async function setHasHeadBranch(
  tx: Tx,
  headRepositoryId: RepositoryId,
  branches: readonly string[],
  exists: 0 | 1,
): Promise<void> {
  if (branches.length === 0) return;
  await query(
    tx,
    fragment`update pulls set has_head_branch = ${exists} where head_repository_id = ${headRepositoryId}
      and head_branch in (${listed(tx, 'branch', branches)}) and flow = 'branch' and has_head_branch <> ${exists}`,
  );
}

/** Gives pull requests that are not merged the new name of a branch. */
export async function renameBranch(
  tx: Tx,
  repositoryId: RepositoryId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await query(
    tx,
    fragment`update pulls set head_branch = ${to} where head_repository_id = ${repositoryId}
      and head_branch = ${from} and flow = 'branch' and merged_at is null`,
  );
  await query(
    tx,
    fragment`update pulls set base_branch = ${to} where repository_id = ${repositoryId}
      and base_branch = ${from} and merged_at is null`,
  );
}
