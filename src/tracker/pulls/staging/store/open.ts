import type { Db } from '../../../../base/database/database.ts';
import { fragment, literal } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { Oid } from '../../../../git/format/model.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';

/** An open pull request of a repository that was imported. */
export interface PublishedPull {
  readonly issueId: number;
  readonly base: string;
  /** branch of the same repository; null: the head has none there */
  readonly headBranch: string | null;
  readonly sha: Oid;
  /** Some comments on lines belong to another head. */
  readonly hasEarlierLines: boolean;
}

/** Lists the next open pull requests of a repository, by the id of their issue. */
export async function listOpen(
  db: Db,
  repositoryId: RepositoryId,
  { after, countMax }: { readonly after: number; readonly countMax: number },
): Promise<readonly PublishedPull[]> {
  const rows = await query<{
    issue_id: number;
    base_branch: string;
    branch: string | null;
    sha: string;
    has_earlier: number;
  }>(
    db,
    fragment`select p.issue_id, p.base_branch, p.head_sha as sha,
        case when p.head_repository_id = p.repository_id and p.flow = 'branch' then p.head_branch end as branch,
        case when exists (select 1 from pull_review_comments c
          where c.issue_id = p.issue_id and c.commit_sha <> p.head_sha) then 1 else 0 end as has_earlier
      from pulls p where p.repository_id = ${repositoryId} and p.is_open = 1 and p.issue_id > ${after}
      order by p.issue_id limit ${literal(countMax)}`,
  );
  return rows.map((row) => ({
    issueId: row.issue_id,
    base: row.base_branch,
    headBranch: row.branch,
    sha: row.sha,
    hasEarlierLines: row.has_earlier === 1,
  }));
}
