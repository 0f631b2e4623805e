import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, raw, values } from '../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../base/database/pause.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { IndexedNote, Notebook, NotePath, NoteProblem, NoteText, StoredNote } from '../model.ts';

/** Databases limit the parameters of a statement: SQLite to 32,766, PostgreSQL to 65,535. */
const ROWS_PER_STATEMENT = 500;

export interface StoredColumns {
  readonly id: number;
  readonly path: string;
  readonly oid: string;
  readonly title: string;
  readonly category: string;
  readonly content_hash: string;
  readonly problem: NoteProblem | null;
  readonly modified_at: number;
  readonly last_update_at: number;
  readonly counter: number;
  readonly content: string | null;
  readonly written_by: string | null;
}

/** Columns of a note, without its text. */
export const LIGHT_COLUMNS = raw(
  `n.id, n.path, n.oid, n.title, n.category, n.content_hash, n.problem, n.modified_at, n.last_update_at,
    n.counter, n.written_by`,
);

function textOf(row: Pick<StoredColumns, 'content' | 'content_hash' | 'problem'>): NoteText {
  const contentHash = row.content_hash;
  if (row.problem === null) return { content: row.content ?? '', contentHash, problem: null };
  return { content: null, contentHash, problem: row.problem };
}

export function storedOf(row: StoredColumns): StoredNote {
  return {
    id: row.id,
    path: row.path,
    oid: row.oid,
    title: row.title,
    category: row.category,
    modifiedAt: row.modified_at,
    lastUpdateAt: row.last_update_at,
    counter: row.counter,
    writtenBy: row.written_by,
    ...textOf(row),
  };
}

/** A note, and whether it is a favorite of the viewer. */
export type MarkedNote = StoredNote & { readonly isFavorite: boolean };

type MarkedColumns = StoredColumns & { favorite: number | null };

export async function findNote(
  db: Db,
  key: { id: number; notebookId: number; accountId: number },
): Promise<MarkedNote | undefined> {
  const row = await queryFirst<MarkedColumns>(
    db,
    fragment`select ${LIGHT_COLUMNS}, n.content, f.account_id as favorite from notes n
    left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
    where n.id = ${key.id} and n.notebook_id = ${key.notebookId} and n.deleted_at is null`,
  );
  return row && { ...storedOf(row), isFavorite: row.favorite !== null };
}

/**
 * Finds some notes of a notebook, in any order.
 *
 * @param key.charsMax largest number of characters of each text
 */
export async function findNotesByIds(
  db: Db,
  key: { ids: readonly number[]; notebookId: number; accountId: number; charsMax: number },
): Promise<readonly MarkedNote[]> {
  if (key.ids.length === 0) return [];
  const rows = await query<MarkedColumns>(
    db,
    fragment`select ${LIGHT_COLUMNS}, substr(n.content, 1, ${key.charsMax}) as content, f.account_id as favorite
    from notes n
    left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
    where n.id in (${values(key.ids)}) and n.notebook_id = ${key.notebookId} and n.deleted_at is null`,
  );
  return rows.map((row) => ({ ...storedOf(row), isFavorite: row.favorite !== null }));
}

/** Lists the notes at `paths`, including deleted ones. */
export async function listNotesAt(
  db: Db,
  notebookId: number,
  paths: readonly string[],
): Promise<readonly IndexedNote[]> {
  const found: IndexedNote[] = [];
  for (let at = 0; at < paths.length; at += ROWS_PER_STATEMENT) {
    const rows = await indexed(db, notebookId)
      .where('path', 'in', paths.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
    found.push(...rows.map(indexedOf));
  }
  return found;
}

export async function listIndexedNotes(db: Db, notebookId: number): Promise<readonly IndexedNote[]> {
  return (await indexed(db, notebookId).execute()).map(indexedOf);
}

function indexed(db: Db, notebookId: number) {
  return db.selectFrom('notes').selectAll().where('notebook_id', '=', notebookId);
}

function indexedOf(row: StoredColumns & { deleted_at: number | null }): IndexedNote {
  return { ...storedOf(row), isDeleted: row.deleted_at !== null };
}

/** A note to write: all fields except its id. */
export type NewNote = NotePath &
  NoteText &
  Pick<StoredNote, 'oid' | 'modifiedAt' | 'lastUpdateAt' | 'counter' | 'writtenBy'>;

function columnsOf(note: NewNote) {
  return {
    path: note.path,
    oid: note.oid,
    title: note.title,
    category: note.category,
    content: note.content,
    content_hash: note.contentHash,
    problem: note.problem,
    modified_at: note.modifiedAt,
    last_update_at: note.lastUpdateAt,
    counter: note.counter,
    written_by: note.writtenBy,
    deleted_at: null,
  };
}

/** @returns the id of the new note */
export async function insertNote(tx: Tx, notebookId: number, note: NewNote): Promise<number> {
  const { id } = await tx
    .insertInto('notes')
    .values({ notebook_id: notebookId, ...columnsOf(note) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertNotes(tx: Tx, notebookId: number, notes: readonly NewNote[]): Promise<void> {
  for (let at = 0; at < notes.length; at += ROWS_PER_STATEMENT) {
    const some = notes.slice(at, at + ROWS_PER_STATEMENT);
    await tx
      .insertInto('notes')
      .values(some.map((note) => ({ notebook_id: notebookId, ...columnsOf(note) })))
      .execute();
    await pauseInTransaction(tx);
  }
}

/** Writes all fields of a note, also of a deleted one, which this restores. */
export async function setNote(tx: Tx, id: number, note: NewNote): Promise<void> {
  await tx.updateTable('notes').set(columnsOf(note)).where('id', '=', id).execute();
}

/** Writes all fields of notes, also of deleted ones, which this restores. */
export async function setNotes(
  tx: Tx,
  notebookId: number,
  notes: readonly { readonly id: number; readonly note: NewNote }[],
): Promise<void> {
  for (let at = 0; at < notes.length; at += ROWS_PER_STATEMENT) {
    const rows = notes
      .slice(at, at + ROWS_PER_STATEMENT)
      .map(({ id, note }) => ({ id, notebook_id: notebookId, ...columnsOf(note) }));
    await tx
      .insertInto('notes')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          path: eb.ref('excluded.path'),
          oid: eb.ref('excluded.oid'),
          title: eb.ref('excluded.title'),
          category: eb.ref('excluded.category'),
          content: eb.ref('excluded.content'),
          content_hash: eb.ref('excluded.content_hash'),
          problem: eb.ref('excluded.problem'),
          modified_at: eb.ref('excluded.modified_at'),
          last_update_at: eb.ref('excluded.last_update_at'),
          counter: eb.ref('excluded.counter'),
          written_by: eb.ref('excluded.written_by'),
          deleted_at: null,
        })),
      )
      .execute();
    await pauseInTransaction(tx);
  }
}

type Times = Pick<StoredNote, 'modifiedAt' | 'lastUpdateAt' | 'counter' | 'writtenBy'>;

export async function setTimes(
  tx: Tx,
  id: number,
  { modifiedAt, lastUpdateAt, counter, writtenBy }: Times,
): Promise<void> {
  await query(
    tx,
    fragment`update notes set modified_at = ${modifiedAt}, last_update_at = ${lastUpdateAt},
      counter = ${counter}, written_by = ${writtenBy} where id = ${id}`,
  );
}

/** Frees the paths of notes that are about to move, so that they can exchange their paths. */
export async function leavePaths(tx: Tx, ids: readonly number[]): Promise<void> {
  // No path of a tree starts with a slash.
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    const some = values(ids.slice(at, at + ROWS_PER_STATEMENT));
    await query(tx, fragment`update notes set path = '/' || cast(id as text) where id in (${some})`);
  }
}

/** Marks notes as deleted. Retains their ids in case their files are restored. */
export async function markDeleted(tx: Tx, ids: readonly number[], now: number): Promise<void> {
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    await tx
      .updateTable('notes')
      .set({ deleted_at: now, last_update_at: now, content: null, problem: 'not-text' })
      .where('id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  }
}

/** Deletes the rows of deleted notes at `paths`, because other notes take these paths. */
export async function forgetDeletedAt(tx: Tx, notebookId: number, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += ROWS_PER_STATEMENT) {
    await tx
      .deleteFrom('notes')
      .where('notebook_id', '=', notebookId)
      .where('path', 'in', paths.slice(at, at + ROWS_PER_STATEMENT))
      .where('deleted_at', 'is not', null)
      .execute();
  }
}

export async function forgetDeletedBefore(
  tx: Tx,
  notebook: Pick<Notebook, 'id'>,
  before: number,
): Promise<void> {
  await tx
    .deleteFrom('notes')
    .where('notebook_id', '=', notebook.id)
    .where('deleted_at', '<', before)
    .execute();
}

export async function setFavorite(
  tx: Tx,
  noteId: number,
  accountId: number,
  isFavorite: boolean,
): Promise<void> {
  if (isFavorite) return addFavorites(tx, [noteId], accountId);
  await tx
    .deleteFrom('note_favorites')
    .where('note_id', '=', noteId)
    .where('account_id', '=', accountId)
    .execute();
}

export async function addFavorites(tx: Tx, noteIds: readonly number[], accountId: number): Promise<void> {
  if (noteIds.length === 0) return;
  await tx
    .insertInto('note_favorites')
    .values(noteIds.map((id) => ({ note_id: id, account_id: accountId })))
    .onConflict((conflict) => conflict.columns(['note_id', 'account_id']).doNothing())
    .execute();
}
