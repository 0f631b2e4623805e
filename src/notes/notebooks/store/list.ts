import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import { type ListQuery, shownSince } from '../list.ts';
import { ListedNotes } from '../listed-notes.ts';
import type { StoredNote } from '../model.ts';
import { LIGHT_COLUMNS, type StoredColumns, storedOf } from './notes.ts';

/** The row before the notes. */
interface Head {
  readonly id: null;
  readonly notebook_counter: number;
  readonly account_counter: number;
  readonly unseen: number | null;
  readonly others: string | null;
}

interface Columns {
  readonly id: number;
  readonly last_update_at: number;
  readonly bytes: number;
  readonly line: string;
}

type Row = Head | Columns;

/** The notes of a list as of one moment, without their texts. */
export interface ListSnapshot {
  readonly counter: number;
  readonly accountCounter: number;
  /** the notes to send completely */
  readonly full: ListedNotes;
  /** number of notes to send completely in later chunks */
  readonly pending: number;
  /** ids of all other notes that match the query */
  readonly others: readonly number[];
}

const NO_NOTE = raw('null as id, null as last_update_at, null as bytes, null as line');
const NO_IDS = raw('null');

/**
 * Lists the notes of a query. One statement reads them, so they are one snapshot. A note that the client already has is
 * listed only by its id.
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
      select n.id, n.last_update_at, coalesce(octet_length(n.content), 0) as bytes,
        concat_ws(' ', n.id, n.counter, n.modified_at, case when f.account_id is null then 0 else 1 end, n.oid,
          n.path) as line
      from notes n left join note_favorites f on f.note_id = n.id and f.account_id = ${key.accountId}
      where ${named} and ${unseen} order by n.last_update_at, n.id${atMost(chunkSize)}) m`,
  );
  const head = rows.find(isHead);
  if (head === undefined) return undefined;
  const full = new ListedNotes(
    rows.filter(isNote).map(({ id, last_update_at, bytes, line }) => ({
      id,
      lastUpdateAt: last_update_at,
      textBytes: bytes,
      line,
    })),
  );
  const pending = (head.unseen ?? full.count) - full.count;
  return {
    counter: head.notebook_counter,
    accountCounter: head.account_counter,
    full,
    pending,
    // Only the last chunk names the other notes.
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

function isHead(row: Row): row is Head {
  return row.id === null;
}

function isNote(row: Row): row is Columns {
  return row.id !== null;
}

/** Returns id → note. Leaves out deleted notes, and also texts if the caller does not want them. */
export async function findNotesOfList(
  db: Db,
  ids: readonly number[],
  { isTextWanted }: { isTextWanted: boolean },
): Promise<ReadonlyMap<number, StoredNote>> {
  const rows = await query<StoredColumns>(
    db,
    fragment`select ${LIGHT_COLUMNS}, ${isTextWanted ? raw('n.content') : raw("''")} as content from notes n
      where n.id in (${listed(db, 'id', ids)}) and n.deleted_at is null`,
  );
  return new Map(rows.map((row) => [row.id, storedOf(row)]));
}
