import type { Tx } from '../../../base/database/database.ts';
import type { NewEntry } from '../models/entries.ts';

/** Who wrote entries of an issue, and when. */
export interface EntryOrigin {
  readonly issue: { readonly id: number; readonly repositoryId: number };
  /** null: the server, or a key */
  readonly authorId: number | null;
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
    .values(entries.map((entry) => rowOf({ issue, authorId, at }, entry)))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Adds one entry to the timeline of each issue. */
export async function insertEntryOfEach(
  tx: Tx,
  { authorId, at }: Omit<EntryOrigin, 'issue'>,
  entries: readonly { readonly issue: EntryOrigin['issue']; readonly entry: NewEntry }[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ issue, entry }) => rowOf({ issue, authorId, at }, entry));
  await tx.insertInto('issue_entries').values(rows).execute();
}

function rowOf({ issue, authorId, at }: EntryOrigin, { kind, body = '', details = {} }: NewEntry) {
  return {
    issue_id: issue.id,
    repository_id: issue.repositoryId,
    author_id: authorId,
    kind,
    body,
    details: JSON.stringify(details),
    created_at: at,
    updated_at: at,
  };
}
