import type { Db } from '../../database/database.ts';
import { type Fragment, fragment, raw, values } from '../../database/fragment.ts';
import { query } from '../../database/query.ts';
import { type ListQuery, shownSince } from '../list.ts';
import type { ListedNote } from '../model.ts';
import { type NoteColumns, withoutText } from './notes.ts';

/** The row before the notes. */
interface Head {
  readonly notebook_counter: number;
  readonly account_counter: number;
  readonly unseen: number | null;
  readonly others: string | null;
}

interface Columns extends NoteColumns {
  readonly bytes: number;
  readonly favorite: number | null;
}

type Row = (Head & { readonly id: null }) | Columns;

/** The notes of a list as of one moment, without their texts. */
export interface ListSnapshot {
  readonly counter: number;
  readonly accountCounter: number;
  /** the notes to send completely, by last update, then id */
  readonly full: readonly ListedNote[];
  /** number of notes to send completely that are left for later chunks */
  readonly pending: number;
  /** ids of all other notes that the query names */
  readonly others: readonly number[];
}

const NO_NOTE = raw(
  `null as id, null as path, null as oid, null as title, null as category, null as content_hash, null as problem,
    null as modified_at, null as last_update_at, null as counter, null as bytes, null as favorite`,
);
const NO_IDS = raw('null');

/**
 * Lists the notes that a query asks for, in one statement, so as one snapshot. What a client has already costs only its
 * id.
 *
 * @returns undefined if the notebook is missing
 */
export async function listNotes(
  db: Db,
  key: { notebookId: number; accountId: number },
  { category, pruneBefore, chunkSize, cursor }: ListQuery,
): Promise<ListSnapshot | undefined> {
  const named = fragment`n.notebook_id = ${key.notebookId} and n.deleted_at is null${ofCategory(category)}`;
  const unseen = unseenBy({ pruneBefore, cursor });
  const count =
    chunkSize === 0 ? NO_IDS : fragment`(select count(*) from notes n where ${named} and ${unseen})`;
  const isSeenPossible = pruneBefore > 0 || cursor !== undefined;
  const others = isSeenPossible
    ? fragment`(select string_agg(cast(n.id as text), ',') from notes n where ${named} and not (${unseen}))`
    : NO_IDS;
  const rows = await query<Row>(
    db,
    fragment`select b.counter as notebook_counter, coalesce(s.counter, 0) as account_counter, ${count} as unseen,
      ${others} as others, ${NO_NOTE}
    from notebooks b left join note_settings s on s.account_id = ${key.accountId}
    where b.id = ${key.notebookId}
    union all
    select null, null, null, null, m.* from (
      select n.id, n.path, n.oid, n.title, n.category, n.content_hash, n.problem, n.modified_at, n.last_update_at,
        n.counter, coalesce(octet_length(n.content), 0) as bytes, f.account_id as favorite
      from notes n left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
      where ${named} and ${unseen} order by n.last_update_at, n.id${atMost(chunkSize)}) m`,
  );
  const head = rows.find(isHead);
  if (head === undefined) return undefined;
  const full = rows.filter(isNote).map(listedOf).sort(byUpdate);
  const pending = (head.unseen ?? full.length) - full.length;
  return {
    counter: head.notebook_counter,
    accountCounter: head.account_counter,
    full,
    pending,
    // Before the last chunk, a list names no others.
    others: pending > 0 || head.others === null ? [] : head.others.split(',').map(Number),
  };
}

function ofCategory(category: string | undefined): Fragment {
  return category === undefined ? raw('') : fragment` and n.category = ${category}`;
}

function atMost(chunkSize: number): Fragment {
  return chunkSize === 0 ? raw('') : fragment` limit ${chunkSize}`;
}

/** Whether the client lacks a note, or its last change. */
function unseenBy({ pruneBefore, cursor }: Pick<ListQuery, 'pruneBefore' | 'cursor'>): Fragment {
  const since = fragment`n.last_update_at >= ${shownSince({ pruneBefore })}`;
  if (cursor === undefined) return since;
  return fragment`${since} and (n.last_update_at, n.id) > (${cursor.lastUpdateAt}, ${cursor.noteId})`;
}

function isHead(row: Row): row is Head & { readonly id: null } {
  return row.id === null;
}

function isNote(row: Row): row is Columns {
  return row.id !== null;
}

function listedOf(row: Columns): ListedNote {
  return { ...withoutText(row), textBytes: row.bytes, isFavorite: row.favorite !== null };
}

/** The databases return the notes in this order, but do not promise it. */
function byUpdate(one: ListedNote, other: ListedNote): number {
  return one.lastUpdateAt - other.lastUpdateAt || one.id - other.id;
}

/** Returns id → the text of a note, and the counter since which it is as it is; without notes that are gone. */
export async function findTexts(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly counter: number; readonly content: string | null }>> {
  const rows = await query<{ id: number; counter: number; content: string | null }>(
    db,
    fragment`select id, counter, content from notes where id in (${values(ids)}) and deleted_at is null`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
