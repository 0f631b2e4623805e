import type { Db } from '../../../base/database/database.ts';
import { fragment, literal } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

/** The commits that a merged pull request has: those that `head` reaches and `base` does not. */
export interface MergedCommits {
  readonly issueId: number;
  readonly head: Oid;
  readonly base: Oid;
  /** to which the merge led; null: not known */
  readonly merge: Oid | null;
}

type MergedRow = { issue_id: number; head_sha: string; merge_base: string; merged_sha: string | null };

/** Finds the issue of the first pull request whose merge led to a commit. */
export async function findMergedAs(
  db: Db,
  repositoryId: RepositoryId,
  commit: Oid,
): Promise<number | undefined> {
  const row = await queryFirst<{ issue_id: number }>(
    db,
    fragment`select p.issue_id from pulls p where p.repository_id = ${repositoryId} and p.merged_sha = ${commit}
      order by p.merged_at, p.issue_id limit 1`,
  );
  return row?.issue_id;
}

/** Lists the first pull requests that were merged at a time (ms) or later, in the order of their merges. */
export async function listMergedSince(
  db: Db,
  repositoryId: RepositoryId,
  { since, countMax }: { readonly since: number; readonly countMax: number },
): Promise<readonly MergedCommits[]> {
  const rows = await query<MergedRow>(
    db,
    fragment`select p.issue_id, p.head_sha, p.merge_base, p.merged_sha from pulls p
      where p.repository_id = ${repositoryId} and p.merged_at >= ${since} and p.merge_base is not null
      order by p.merged_at, p.issue_id limit ${literal(countMax)}`,
  );
  return rows.map((row) => ({
    issueId: row.issue_id,
    head: row.head_sha,
    base: row.merge_base,
    merge: row.merged_sha,
  }));
}
