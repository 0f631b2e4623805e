import type { Db, Tx } from '../../../base/database/database.ts';
import { flag } from '../../../base/database/fragment.ts';

/** How far an import has come. */
export interface ImportState {
  readonly id: number;
  /** seconds, on the server's clock; notes that changed before were imported completely */
  readonly completeSince: number;
  /** where the next chunk begins; '' after the last one */
  readonly cursor: string;
}

/** Finds the import of a source by an account, or creates it. */
export async function openImport(tx: Tx, accountId: number, source: string): Promise<ImportState> {
  const row = await tx
    .insertInto('note_imports')
    .values({ account_id: accountId, source, complete_since: 0, cursor: '' })
    .onConflict((c) => c.columns(['account_id', 'source']).doUpdateSet({ source }))
    .returning(['id', 'complete_since', 'cursor'])
    .executeTakeFirstOrThrow();
  return { id: row.id, completeSince: row.complete_since, cursor: row.cursor };
}

export async function setImportState(tx: Tx, { id, completeSince, cursor }: ImportState): Promise<void> {
  await tx
    .updateTable('note_imports')
    .set({ complete_since: completeSince, cursor })
    .where('id', '=', id)
    .execute();
}

/** The state of a note when it was imported. */
export interface ImportedNote {
  /** on the other server */
  readonly remoteId: number;
  readonly noteId: number;
  /** on the other server */
  readonly etag: string;
  readonly path: string;
  readonly contentHash: string;
  /** on the other server */
  readonly title: string;
  readonly category: string;
  readonly isFavorite: boolean;
}

/** Lists notes that were imported, by their ids on the other server. */
export async function listImported(
  db: Db,
  importId: number,
  remoteIds: readonly number[],
): Promise<ReadonlyMap<number, ImportedNote>> {
  if (remoteIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('imported_notes')
    .selectAll()
    .where('import_id', '=', importId)
    .where('remote_id', 'in', remoteIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.remote_id,
      {
        remoteId: row.remote_id,
        noteId: row.note_id,
        etag: row.etag,
        path: row.path,
        contentHash: row.content_hash,
        title: row.title_there,
        category: row.category_there,
        isFavorite: row.was_favorite === 1,
      },
    ]),
  );
}

/** Records the current state of notes. */
export async function setImported(tx: Tx, importId: number, notes: readonly ImportedNote[]): Promise<void> {
  if (notes.length === 0) return;
  await tx
    .insertInto('imported_notes')
    .values(
      notes.map((note) => ({
        import_id: importId,
        remote_id: note.remoteId,
        note_id: note.noteId,
        etag: note.etag,
        path: note.path,
        content_hash: note.contentHash,
        title_there: note.title,
        category_there: note.category,
        was_favorite: flag(note.isFavorite),
      })),
    )
    .onConflict((c) =>
      c.columns(['import_id', 'remote_id']).doUpdateSet((eb) => ({
        note_id: eb.ref('excluded.note_id'),
        etag: eb.ref('excluded.etag'),
        path: eb.ref('excluded.path'),
        content_hash: eb.ref('excluded.content_hash'),
        title_there: eb.ref('excluded.title_there'),
        category_there: eb.ref('excluded.category_there'),
        was_favorite: eb.ref('excluded.was_favorite'),
      })),
    )
    .execute();
}
