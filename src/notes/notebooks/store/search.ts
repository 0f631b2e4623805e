import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import { type Db, dialectOf, type Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import { ftsQuery, ftsText, vectorOf, vectorQuery } from '../../../base/text-search/index-text.ts';
import { TEXT_SEARCH_LIMITS } from '../../../base/text-search/limits.ts';
import type { Term } from '../../../base/text-search/query.ts';
import type { WordsOf } from '../../../base/text-search/words.ts';
import { findNotesByIds, type MarkedNote } from './notes.ts';

/** A position in the changes of a notebook. The words of all changes up to it are current. */
export interface SearchState {
  /** of the notebook */
  readonly counter: number;
  /** the last note of that counter */
  readonly noteId: number;
}

export const NOTHING_SEARCHABLE: SearchState = { counter: -1, noteId: 0 };

export async function findSearchState(db: Db, notebookId: number): Promise<SearchState> {
  const row = await queryFirst<{ counter: number; note_id: number }>(
    db,
    fragment`select counter, note_id from note_search_states where notebook_id = ${notebookId}`,
  );
  return row === undefined ? NOTHING_SEARCHABLE : { counter: row.counter, noteId: row.note_id };
}

/** Makes the next search write the words of all notes of a notebook again. */
export async function forgetSearchState(tx: Tx, notebookId: number): Promise<void> {
  await query(tx, fragment`delete from note_search_states where notebook_id = ${notebookId}`);
}

/** @returns false if another process has moved the state since `from` was read */
export async function moveSearchState(
  tx: Tx,
  notebookId: number,
  { from, to }: { from: SearchState; to: SearchState },
): Promise<boolean> {
  const { counter, noteId } = NOTHING_SEARCHABLE;
  await query(
    tx,
    fragment`insert into note_search_states (notebook_id, counter, note_id)
      select id, ${counter}, ${noteId} from notebooks where id = ${notebookId}
      on conflict (notebook_id) do nothing`,
  );
  const moved = await queryFirst(
    tx,
    fragment`update note_search_states set counter = ${to.counter}, note_id = ${to.noteId}
      where notebook_id = ${notebookId} and counter = ${from.counter} and note_id = ${from.noteId}
      returning notebook_id`,
  );
  return moved !== undefined;
}

export interface ChangedText {
  readonly id: number;
  readonly counter: number;
  readonly title: string;
  readonly category: string;
  readonly content: string;
}

/**
 * Lists the notes of a notebook that have changed after `since`, in the order of their changes.
 *
 * @param options.charsMax largest number of characters of each text
 * @returns the notes and the counter of the notebook, as of one moment; undefined if the notebook was deleted
 */
export async function listChangedTexts(
  db: Db,
  key: { notebookId: number; since: SearchState },
  options: { limit: number; charsMax: number },
): Promise<{ readonly counter: number; readonly notes: readonly ChangedText[] } | undefined> {
  const { notebookId, since } = key;
  // Two conditions, each with its own range of the index. For one comparison of both columns, SQLite would start at the
  // first note of a counter.
  const first = (following: Fragment) =>
    fragment`select * from (select id from notes where notebook_id = ${notebookId} and deleted_at is null and ${following}
      order by counter, id limit ${options.limit}) x`;
  const rest = first(fragment`counter = ${since.counter} and id > ${since.noteId}`);
  const later = first(fragment`counter > ${since.counter}`);
  const rows = await query<{
    notebook_counter: number;
    id: number | null;
    counter: number;
    title: string;
    category: string;
    content: string | null;
  }>(
    db,
    // Finds the few notes first, because sorting all notes would read all contents.
    fragment`select b.counter as notebook_counter, n.id, n.counter, n.title, n.category,
        substr(n.content, 1, ${options.charsMax}) as content
      from notebooks b
      left join (${rest} union all ${later}) few on true
      left join notes n on n.id = few.id
      where b.id = ${notebookId}
      order by n.counter, n.id limit ${options.limit}`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const notes = rows.flatMap(({ id, counter, title, category, content }) =>
    id === null ? [] : [{ id, counter, title, category, content: content ?? '' }],
  );
  return { counter: row.notebook_counter, notes };
}

/** The words of a note. */
export interface WordsOfNote {
  readonly noteId: number;
  readonly words: WordsOf<'title' | 'category' | 'content'>;
}

/** Replaces the words of some notes, except deleted ones. */
export async function setWords(tx: Tx, notebookId: number, notes: readonly WordsOfNote[]): Promise<void> {
  if (notes.length === 0) return;
  if (dialectOf(tx) === 'postgres') await setVectors(tx, notebookId, notes);
  else for (const note of notes) await setRow(tx, notebookId, note);
}

async function setVectors(tx: Tx, notebookId: number, notes: readonly WordsOfNote[]): Promise<void> {
  const rows = notes.map(
    ({ noteId, words }) =>
      fragment`(cast(${noteId} as bigint), cast(${weighted(notebookId, words)} as tsvector))`,
  );
  await query(
    tx,
    fragment`insert into note_words (note_id, words)
      select n.id, v.words from (values ${joined(rows, ', ')}) as v (note_id, words)
      join notes n on n.id = v.note_id and n.deleted_at is null
      on conflict (note_id) do update set words = excluded.words`,
  );
}

function weighted(notebookId: number, { title, category, content }: WordsOfNote['words']): string {
  return vectorOf([
    { words: inNotebook(notebookId, title), weight: 'A' },
    { words: inNotebook(notebookId, category), weight: 'B' },
    { words: inNotebook(notebookId, content), weight: 'D' },
  ]);
}

async function setRow(tx: Tx, notebookId: number, { noteId, words }: WordsOfNote): Promise<void> {
  const text = (of: readonly string[]) => ftsText(inNotebook(notebookId, of));
  await query(tx, fragment`delete from note_words where rowid = ${noteId}`);
  await query(
    tx,
    fragment`insert into note_words (rowid, title, category, content)
      select id, ${text(words.title)}, ${text(words.category)}, ${text(words.content)} from notes
      where id = ${noteId} and deleted_at is null`,
  );
}

/**
 * Returns words in the form in which the index has them. They begin with the notebook, so words of other notebooks do
 * not slow a search or change its order.
 */
function inNotebook(notebookId: number, words: readonly string[]): readonly string[] {
  return words.map((word) => `${notebookId}·${word}`);
}

/** A search of one notebook. */
interface WordsQuery {
  readonly notebookId: number;
  /** of the viewer, for favorites */
  readonly accountId: number;
  readonly terms: readonly Term[];
}

/**
 * Lists the notes with all terms, the best match first. A word counts most in the title, then in the category.
 *
 * @returns notes with the start of their texts
 */
export async function searchNotes(
  db: Db,
  { notebookId, accountId, terms }: WordsQuery,
  paging: Paging,
): Promise<Page<MarkedNote>> {
  const own = terms.map((term) => ({ ...term, words: inNotebook(notebookId, term.words) }));
  const { found, rank } = dialectOf(db) === 'postgres' ? onPostgres(own) : onSqlite(own);
  const rows = await query<{ id: number }>(
    db,
    fragment`select ${rank.id} as id from ${found} order by ${rank.order} limit ${paging.limit} offset ${offsetOf(paging)}`,
  );
  const notes = await findNotesByIds(db, {
    ids: rows.map(({ id }) => id),
    notebookId,
    accountId,
    charsMax: TEXT_SEARCH_LIMITS.indexedTextCharsMax,
  });
  const byId = new Map(notes.map((note) => [note.id, note]));
  return {
    items: rows.flatMap(({ id }) => byId.get(id) ?? []),
    total: await queryCount(db, found),
  };
}

interface RankedSearch {
  /** tables and conditions */
  readonly found: Fragment;
  readonly rank: { readonly id: Fragment; readonly order: Fragment };
}

function onSqlite(terms: readonly Term[]): RankedSearch {
  return {
    found: fragment`note_words where note_words match ${ftsQuery(terms)}`,
    rank: { id: fragment`rowid`, order: fragment`bm25(note_words, 10.0, 4.0, 1.0), rowid desc` },
  };
}

function onPostgres(terms: readonly Term[]): RankedSearch {
  const wanted = fragment`cast(${vectorQuery(terms)} as tsquery)`;
  return {
    found: fragment`note_words w join notes n on n.id = w.note_id
      where w.words @@ ${wanted} and n.deleted_at is null`,
    rank: {
      id: fragment`n.id`,
      order: fragment`ts_rank('{0.1, 0.2, 0.4, 1.0}', w.words, ${wanted}) desc, n.id desc`,
    },
  };
}
