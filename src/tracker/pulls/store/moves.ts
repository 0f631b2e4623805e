import { hasBlocked } from '../../../api/access/store/blocks.ts';
import { idOf, type Viewer } from '../../../api/access/viewer.ts';
import { conflict } from '../../../base/core/failure.ts';
import { type Db, isUniqueViolation, type Tx } from '../../../base/database/database.ts';
import { fragment, literal, raw } from '../../../base/database/fragment.ts';
import { listed, query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { PULL_LIMITS } from '../limits.ts';

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

/** What depends on branches that move. */
export interface Dependents {
  /** open pull requests whose heads are in the branches */
  readonly heads: readonly MovingHead[];
  /** the branches that are bases of open pull requests */
  readonly bases: readonly string[];
}

type DependentRow = {
  issue_id: number | null;
  base_id: number | null;
  number: number | null;
  branch: string;
  head_sha: string | null;
};

/** Finds what depends on some branches of a repository, with one statement, because every push asks. */
export async function findDependents(
  db: Db,
  repositoryId: RepositoryId,
  branches: readonly string[],
): Promise<Dependents> {
  const moved = fragment`(${listed(db, 'branch', branches)}) moved`;
  const rows = await query<DependentRow>(
    db,
    fragment`select p.issue_id, p.repository_id as base_id, p.number, moved.branch, p.head_sha
      from ${moved} cross join pulls p
      where p.head_repository_id = ${repositoryId} and p.head_branch = moved.branch
        and p.is_open = 1 and p.flow = 'branch'
      union all
      select null, null, null, moved.branch, null from ${moved}
      where exists (select 1 from pulls p where p.repository_id = ${repositoryId}
        and p.base_branch = moved.branch and p.is_open = 1)`,
  );
  return {
    heads: rows.flatMap(({ issue_id: issueId, base_id: baseId, number, branch, head_sha: sha }) =>
      issueId === null || baseId === null || number === null || sha === null
        ? []
        : [{ issueId, repositoryId: baseId, number, branch, sha }],
    ),
    bases: rows.flatMap(({ issue_id: issueId, branch }) => (issueId === null ? [branch] : [])),
  };
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

/**
 * Lists the next open pull requests with this base that were not checked with both branches as they are now, and those
 * whose head the base has: a reader's check may have found that, and only a push may record it as a merge.
 */
export async function listUncheckedOrContained(
  db: Db,
  base: { readonly repositoryId: RepositoryId; readonly branch: string; readonly tip: string },
  { after, countMax }: { readonly after: number; readonly countMax: number },
): Promise<readonly number[]> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select p.issue_id from pulls p
      where p.repository_id = ${base.repositoryId} and p.base_branch = ${base.branch} and p.is_open = 1
        and p.issue_id > ${after} and (coalesce(p.outcome, '') = 'contained' or not (
          coalesce(p.checked_base, '') = ${base.tip} and coalesce(p.checked_head, '') = p.head_sha))
      order by p.issue_id limit ${literal(countMax)}`,
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

/**
 * Gives pull requests that are not merged the new name of a branch.
 *
 * @throws ForgeError `conflict` if others still have the new name, and are about to be closed
 */
export async function renameBranch(
  tx: Tx,
  repositoryId: RepositoryId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  try {
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
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const what = `open pull requests still name the branch ${to}: try again soon`;
    throw conflict(what);
  }
}

/** Gives the pull requests of a user that pushes to `refs/for/` made, and that are not merged, a new beginning of their heads. */
export async function renameProposals(
  tx: Tx,
  authorId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const renamed = fragment`${to} || substr(pulls.head_branch, ${literal(from.length + 1)})`;
  await query(
    tx,
    fragment`update pulls set head_branch = ${renamed} where flow = 'agit' and merged_at is null
      and substr(head_branch, 1, ${literal(from.length)}) = ${from}
      and issue_id in (select id from issues where author_id = ${authorId} and is_pull = 1)
      and not exists (select 1 from pulls other where other.head_repository_id = pulls.head_repository_id
        and other.head_branch = ${renamed} and other.repository_id = pulls.repository_id
        and other.base_branch = pulls.base_branch and other.flow = 'agit' and other.is_open = 1)`,
  );
}

/** Lists the open pull requests in other repositories whose heads are branches of this one. @returns the ids of their issues */
export async function listOpenFrom(db: Db, headRepositoryId: RepositoryId): Promise<readonly number[]> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select issue_id from pulls where head_repository_id = ${headRepositoryId}
      and repository_id <> ${headRepositoryId} and is_open = 1 and flow = 'branch' order by issue_id`,
  );
  return rows.map((row) => row.issue_id);
}

/** A branch that people who maintain the base of a pull request may write. */
export interface MaintainedHead {
  readonly branch: string;
  /** who allows that */
  readonly allowedBy: number;
  /** of the base */
  readonly repositoryId: RepositoryId;
}

/**
 * Lists such branches of a repository; none if its owner has blocked the viewer.
 *
 * @param branches only these; undefined: all
 */
export async function listMaintained(
  db: Db,
  viewer: Viewer,
  headRepositoryId: RepositoryId,
  branches: readonly string[] | undefined,
): Promise<readonly MaintainedHead[]> {
  const isNamed =
    branches === undefined ? raw('') : fragment`and p.head_branch in (${listed(db, 'branch', branches)})`;
  const rows = await query<{ head_branch: string; repository_id: number; edits_allowed_by: number }>(
    db,
    fragment`select distinct p.head_branch, p.repository_id, p.edits_allowed_by from pulls p
      where p.head_repository_id = ${headRepositoryId} and p.is_open = 1 and p.flow = 'branch'
        and p.allows_maintainer_edit = 1 and p.edits_allowed_by is not null ${isNamed}
        and not exists (select 1 from repositories r where r.id = p.head_repository_id
          and ${hasBlocked(raw('r.owner_id'), fragment`${idOf(viewer)}`)})
      limit ${literal(PULL_LIMITS.maintainedHeadsReadMax)}`,
  );
  return rows.map((row) => ({
    branch: row.head_branch,
    allowedBy: row.edits_allowed_by,
    repositoryId: row.repository_id,
  }));
}

/** Whether the owner of a repository has blocked an account. A block does not stop site administrators. */
export async function isBlockedAt(db: Db, repositoryId: RepositoryId, accountId: number): Promise<boolean> {
  const found = await queryFirst(
    db,
    fragment`select 1 as found from repositories r join accounts a on a.id = ${accountId} and a.is_admin = 0
      where r.id = ${repositoryId} and ${hasBlocked(raw('r.owner_id'), raw('a.id'))}`,
  );
  return found !== undefined;
}
