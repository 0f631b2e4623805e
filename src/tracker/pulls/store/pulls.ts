import type { Selectable } from 'kysely';
import { notFound } from '../../../base/core/failure.ts';
import { type Db, isUniqueViolation, type Tx } from '../../../base/database/database.ts';
import { flag, fragment, raw, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { PullsTable } from '../../../base/database/schema/pulls.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { Check, CheckOutcome, PullState } from '../model.ts';

type PullRow = Selectable<PullsTable>;

const COLUMNS = raw(
  [
    'p.issue_id, p.repository_id, p.number, p.is_open, p.flow, p.base_branch, p.head_repository_id, p.head_branch',
    'p.has_head_branch, p.head_sha, p.allows_maintainer_edit, p.edits_allowed_by, p.merge_base',
    'p.checked_base, p.checked_head, p.outcome',
    'p.conflicts, p.additions, p.deletions, p.changed_files, p.review_comments, p.merged_at, p.merged_by',
    'p.merged_sha',
  ].join(', '),
);

function pullOfRow(row: PullRow): PullState {
  // The row keeps what the head changed before the base got all of its commits. See `setChecked`.
  const isContained = row.is_open === 1 && row.outcome === 'contained' && row.checked_head === row.head_sha;
  return {
    issueId: row.issue_id,
    repositoryId: row.repository_id,
    number: row.number,
    isOpen: row.is_open === 1,
    flow: row.flow,
    baseBranch: row.base_branch,
    head: {
      repositoryId: row.head_repository_id,
      branch: row.head_branch,
      hasBranch: row.has_head_branch === 1,
      sha: row.head_sha,
    },
    allowsMaintainerEdit: row.allows_maintainer_edit === 1,
    editsAllowedBy: row.edits_allowed_by,
    mergeBase: isContained ? row.head_sha : row.merge_base,
    check: checkOfRow(row),
    additions: isContained ? 0 : row.additions,
    deletions: isContained ? 0 : row.deletions,
    changedFiles: isContained ? 0 : row.changed_files,
    reviewComments: row.review_comments,
    merge:
      row.merged_at === null || row.merged_sha === null
        ? null
        : { at: row.merged_at, accountId: row.merged_by, sha: row.merged_sha },
  };
}

function checkOfRow(row: PullRow): Check | null {
  const { checked_base: base, checked_head: head, outcome } = row;
  if (base === null || head === null || outcome === null) return null;
  return {
    base,
    head,
    outcome: outcome as CheckOutcome,
    conflicts: JSON.parse(row.conflicts),
  };
}

/** Finds the pull request of an issue. */
export async function findPull(db: Db, issueId: number): Promise<PullState | undefined> {
  const row = await queryFirst<PullRow>(
    db,
    fragment`select ${COLUMNS} from pulls p where p.issue_id = ${issueId}`,
  );
  return row && pullOfRow(row);
}

/** @throws ForgeError `not_found` */
export async function getPull(db: Db, issueId: number): Promise<PullState> {
  const pull = await findPull(db, issueId);
  if (pull === undefined) throw notFound('pull request');
  return pull;
}

/** Finds the pull requests of issues, by the id of the issue. */
export async function findPulls(
  db: Db,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, PullState>> {
  if (issueIds.length === 0) return new Map();
  const rows = await query<PullRow>(
    db,
    fragment`select ${COLUMNS} from pulls p where p.issue_id in (${values(issueIds)})`,
  );
  return new Map(rows.map((row) => [row.issue_id, pullOfRow(row)]));
}

/** The branches of a pull request, and the repositories that have them. A proposal is in the repository of its base. */
export interface Ends {
  readonly repositoryId: RepositoryId;
  readonly baseBranch: string;
  readonly headRepositoryId: RepositoryId;
  readonly headBranch: string;
}

/** Finds the open pull request between two branches, or of a proposal. */
export async function findOpenBetween(
  db: Db,
  ends: Ends,
  flow: PullState['flow'],
): Promise<PullState | undefined> {
  const row = await queryFirst<PullRow>(
    db,
    fragment`select ${COLUMNS} from pulls p where p.head_repository_id = ${ends.headRepositoryId}
      and p.head_branch = ${ends.headBranch} and p.repository_id = ${ends.repositoryId}
      and p.base_branch = ${ends.baseBranch} and p.flow = ${flow} and p.is_open = 1`,
  );
  return row && pullOfRow(row);
}

/** Finds the number of the newest pull request between two branches, in any state. */
export async function findNewestBetween(db: Db, ends: Ends): Promise<number | undefined> {
  const row = await queryFirst<{ number: number }>(
    db,
    fragment`select p.number from pulls p where p.head_repository_id = ${ends.headRepositoryId}
      and p.head_branch = ${ends.headBranch} and p.repository_id = ${ends.repositoryId}
      and p.base_branch = ${ends.baseBranch} order by p.issue_id desc limit 1`,
  );
  return row?.number;
}

export type NewPullRow = Pick<
  PullState,
  | 'issueId'
  | 'repositoryId'
  | 'number'
  | 'flow'
  | 'baseBranch'
  | 'head'
  | 'allowsMaintainerEdit'
  | 'editsAllowedBy'
>;

/** @returns false if the two branches have an open pull request already */
export async function insertPull(tx: Tx, pull: NewPullRow): Promise<boolean> {
  const { head } = pull;
  const inserted = await queryFirst<{ issue_id: number }>(
    tx,
    fragment`insert into pulls (issue_id, repository_id, number, is_open, flow, base_branch, head_repository_id,
        head_branch, has_head_branch, head_sha, allows_maintainer_edit, edits_allowed_by)
      values (${pull.issueId}, ${pull.repositoryId}, ${pull.number}, 1, ${pull.flow}, ${pull.baseBranch},
        ${head.repositoryId}, ${head.branch}, ${flag(head.hasBranch)}, ${head.sha},
        ${flag(pull.allowsMaintainerEdit)}, ${pull.editsAllowedBy})
      on conflict do nothing returning issue_id`,
  );
  return inserted !== undefined;
}

/** @returns false if the two branches have an open pull request already */
export async function setBase(tx: Tx, issueId: number, branch: string): Promise<boolean> {
  try {
    await query(tx, fragment`update pulls set base_branch = ${branch} where issue_id = ${issueId}`);
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** @param byId who allows edits by people who maintain the base, or ends that */
export async function setMaintainerEdit(
  tx: Tx,
  issueId: number,
  { isAllowed, byId }: { readonly isAllowed: boolean; readonly byId: number },
): Promise<void> {
  await query(
    tx,
    fragment`update pulls set allows_maintainer_edit = ${flag(isAllowed)}, edits_allowed_by = ${byId}
      where issue_id = ${issueId}`,
  );
}

export async function setHead(tx: Tx, issueId: number, sha: string): Promise<void> {
  await query(
    tx,
    fragment`update pulls set head_sha = ${sha}, has_head_branch = case when flow = 'branch' then 1 else 0 end
      where issue_id = ${issueId}`,
  );
}
