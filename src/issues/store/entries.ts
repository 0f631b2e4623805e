import type { Tx } from '../../database/database.ts';
import type { NewEntry } from '../entries.ts';

/** Who wrote entries of an issue, and when. */
export interface EntryOrigin {
  readonly issue: { readonly id: number; readonly repositoryId: number };
  readonly authorId: number;
  readonly at: number;
}

/** Adds entries to the timeline of an issue, in this order. @returns their ids */
export async function insertEntries(
  tx: Tx,
  { issue, authorId, at }: EntryOrigin,
  entries: readonly NewEntry[],
): Promise<readonly number[]> {
  if (entries.length === 0) return [];
  const rows = await tx
    .insertInto('issue_entries')
    .values(
      entries.map(({ kind, body = '', details = {} }) => ({
        issue_id: issue.id,
        repository_id: issue.repositoryId,
        author_id: authorId,
        kind,
        body,
        details: JSON.stringify(details),
        created_at: at,
        updated_at: at,
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}
