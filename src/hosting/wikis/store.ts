import type { Db } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { queryFirst } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** Whether the branch exists that HEAD of a wiki points to. */
export async function hasHeadBranch(db: Db, wikiId: RepositoryId): Promise<boolean> {
  const row = await queryFirst(
    db,
    fragment`select 1 as found from git_repositories g
      join git_refs f on f.repository_id = g.id and f.name = g.head
      where g.id = ${wikiId} and f.oid is not null`,
  );
  return row !== undefined;
}
