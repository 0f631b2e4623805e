import type { Db, Tx } from '../../database/database.ts';
import { fragment, raw, values } from '../../database/fragment.ts';
import { query, queryFirst } from '../../database/query.ts';
import type { IndexedNote, Notebook, NotePath, NoteProblem, NoteText, StoredNote } from '../model.ts';

/** Databases limit the parameters of a statement: SQLite to 32,766, PostgreSQL to 65,535. */
const ROWS_PER_STATEMENT = 500;

interface Columns {
  id: number;
  path: string;
  oid: string;
  title: string;
  category: string;
  content: string | null;
  content_hash: string;
  problem: NoteProblem | null;
  modified_at: number;
  last_update_at: number;
  counter: number;
  written_by: string | null;
}

const LIGHT_COLUMNS = raw(
  `n.id, n.path, n.oid, n.title, n.category, n.content_hash, n.problem, n.modified_at, n.last_update_at,
    n.counter, n.written_by`,
);

function textOf(row: Pick<Columns, 'content' | 'content_hash' | 'problem'>): NoteText {
  const contentHash = row.content_hash;
  if (row.problem === null) return { content: row.content ?? '', contentHash, problem: null };
  return { content: null, contentHash, problem: row.problem };
}

function storedOf(row: Columns): StoredNote {
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

type MarkedColumns = Columns & { favorite: number | null };

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

/** Finds some notes of a notebook, in any order. */
export async function findNotesByIds(
  db: Db,
  key: { ids: readonly number[]; notebookId: number; accountId: number },
): Promise<readonly MarkedNote[]> {
  if (key.ids.length === 0) return [];
  const rows = await query<MarkedColumns>(
    db,
    fragment`select ${LIGHT_COLUMNS}, n.content, f.account_id as favorite from notes n
    left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
    where n.id in (${values(key.ids)}) and n.notebook_id = ${key.notebookId} and n.deleted_at is null`,
  );
  return rows.map((row) => ({ ...storedOf(row), isFavorite: row.favorite !== null }));
}

type ListColumns = { [Name in keyof MarkedColumns]: MarkedColumns[Name] | null } & {
  notebook_counter: number;
  account_counter: number | null;
};

export interface NotesSnapshot {
  readonly counter: number;
  readonly accountCounter: number;
  /** sorted by last update, then id */
  readonly notes: readonly MarkedNote[];
}

/**
 * Lists all notes of a notebook with its counters, in one statement, so as one snapshot.
 *
 * @param key.contentSince ms; notes that were last changed before have an empty content
 * @returns undefined if the notebook is missing
 */
export async function listNotes(
  db: Db,
  key: { notebookId: number; accountId: number; contentSince: number },
): Promise<NotesSnapshot | undefined> {
  const rows = await query<ListColumns>(
    db,
    fragment`select b.counter as notebook_counter, s.counter as account_counter, ${LIGHT_COLUMNS}, f.account_id as favorite,
      case when n.last_update_at >= ${key.contentSince} then n.content end as content
    from notebooks b
    left join note_settings s on s.account_id = ${key.accountId}
    left join notes n on n.notebook_id = b.id and n.deleted_at is null
    left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
    where b.id = ${key.notebookId}
    order by n.last_update_at, n.id`,
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    counter: first.notebook_counter,
    accountCounter: first.account_counter ?? 0,
    // The result for a notebook without notes is one row without a note.
    notes: rows.filter(isNoteRow).map((row) => ({ ...storedOf(row), isFavorite: row.favorite !== null })),
  };
}

function isNoteRow(row: ListColumns): row is ListColumns & MarkedColumns {
  return row.id !== null;
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

function indexedOf(row: Columns & { deleted_at: number | null }): IndexedNote {
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
  }
}

/** Writes all fields of a note. Restores a deleted one. */
export async function setNote(tx: Tx, id: number, note: NewNote): Promise<void> {
  await tx.updateTable('notes').set(columnsOf(note)).where('id', '=', id).execute();
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

/** Frees the paths of notes that are about to move, so that they can take each other's paths. */
export async function leavePaths(tx: Tx, ids: readonly number[]): Promise<void> {
  // No path of a tree starts with a slash.
  for (const id of ids)
    await tx
      .updateTable('notes')
      .set({ path: `/${id}` })
      .where('id', '=', id)
      .execute();
}

/** Marks notes as deleted. Keeps their ids in case their files return. */
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
  if (!isFavorite) {
    await tx
      .deleteFrom('note_favorites')
      .where('note_id', '=', noteId)
      .where('account_id', '=', accountId)
      .execute();
    return;
  }
  await tx
    .insertInto('note_favorites')
    .values({ note_id: noteId, account_id: accountId })
    .onConflict((conflict) => conflict.columns(['note_id', 'account_id']).doNothing())
    .execute();
}
