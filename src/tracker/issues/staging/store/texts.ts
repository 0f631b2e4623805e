import { dialectOf, type Tx } from '../../../../base/database/database.ts';
import { fragment, literal, raw } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';

/** A text whose words are to be indexed. */
export interface TextRow {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** '' for a comment */
  readonly title: string;
  readonly body: string;
}

/** Lists issues or comments of a repository in the order of their ids, and locks them against edits. */
export async function lockTexts(
  tx: Tx,
  kind: 'issue' | 'comment',
  { repositoryId, after }: { readonly repositoryId: RepositoryId; readonly after: number },
): Promise<readonly TextRow[]> {
  const hold = raw(dialectOf(tx) === 'postgres' ? 'for update' : '');
  const limit = literal(ISSUE_LIMITS.importedTextsIndexedAtOnce);
  const rows = await query<{ id: number; title: string; body: string }>(
    tx,
    kind === 'issue'
      ? fragment`select id, title, body from issues
          where repository_id = ${repositoryId} and id > ${after} order by id limit ${limit} ${hold}`
      : fragment`select id, '' as title, body from issue_entries
          where repository_id = ${repositoryId} and kind = 'comment' and id > ${after} order by id limit ${limit} ${hold}`,
  );
  return rows.map((row) => ({ ...row, repositoryId }));
}
