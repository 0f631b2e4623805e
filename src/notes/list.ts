import type { Note } from './model.ts';
import type { Parameters } from './parameters.ts';
import { seconds } from './versions.ts';

/** A client's query for the list of notes. */
export interface ListQuery {
  /** exact category; '': notes without one; undefined: all */
  readonly category: string | undefined;
  /** fields to leave out */
  readonly exclude: readonly string[];
  /** seconds; only the ids of notes that were last changed before */
  readonly pruneBefore: number;
  /** maximum number of complete notes; 0: all */
  readonly chunkSize: number;
  readonly cursor: Cursor | undefined;
}

/** Position in a list that a client reads in chunks. */
interface Cursor {
  /** seconds; time of the request for the first chunk */
  readonly start: number;
  /** time of the last complete note, ms */
  readonly lastUpdateAt: number;
  readonly noteId: number;
}

/** The notes of one response. */
export interface Selection {
  readonly full: readonly Note[];
  /** notes to list as ids only, so that clients do not delete them */
  readonly pruned: readonly Note[];
  /** number of complete notes left for later chunks */
  readonly pending: number;
  /** start of the next chunk; undefined at the end */
  readonly cursor: string | undefined;
  /** seconds; `pruneBefore` of the client's next request */
  readonly asOf: number;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/;

export function listQueryOf(parameters: Parameters): ListQuery {
  return {
    category: parameters.text('category'),
    exclude: excludedOf(parameters),
    pruneBefore: parameters.integer('pruneBefore') ?? 0,
    chunkSize: Math.max(0, parameters.integer('chunkSize') ?? 0),
    cursor: cursorOf(parameters.text('chunkCursor')),
  };
}

export function excludedOf(parameters: Parameters): readonly string[] {
  return (parameters.text('exclude') ?? '').split(',').map((name) => name.trim());
}

/** Parses a cursor. A malformed one counts as absent: the list starts again. */
function cursorOf(text: string | undefined): Cursor | undefined {
  const match = CURSOR.exec(text ?? '');
  if (match === null) return undefined;
  const [start = 0, lastUpdateAt = 0, noteId = 0] = match.slice(1).map(Number);
  return { start, lastUpdateAt, noteId };
}

/** Returns the time, ms, before which unchanged notes appear without content. */
export function shownSince(query: ListQuery): number {
  if (query.exclude.includes('content')) return Number.MAX_SAFE_INTEGER;
  return Math.min(Math.max(0, query.pruneBefore) * 1000, Number.MAX_SAFE_INTEGER);
}

/**
 * Selects the notes of a response.
 *
 * @param notes sorted by last update, then id
 * @param now start of the request, ms
 */
export function selectNotes(notes: readonly Note[], query: ListQuery, now: number): Selection {
  const { category, chunkSize, cursor } = query;
  const wanted = category === undefined ? notes : notes.filter((note) => note.category === category);
  const unseen = wanted.filter(
    (note) => seconds(note.lastUpdateAt) >= query.pruneBefore && isAfter(note, cursor),
  );
  const full = chunkSize === 0 ? unseen : unseen.slice(0, chunkSize);
  const asOf = cursor?.start ?? seconds(now);
  const last = full.at(-1);
  const pending = unseen.length - full.length;
  if (pending > 0 && last !== undefined) {
    return { full, pruned: [], pending, cursor: `${asOf}-${last.lastUpdateAt}-${last.id}`, asOf };
  }
  const listed = new Set(full);
  return { full, pruned: wanted.filter((note) => !listed.has(note)), pending: 0, cursor: undefined, asOf };
}

/** Returns between which times of last updates a response has all texts, ms, both inclusive; undefined if it has none. */
export function shownTimes(
  query: ListQuery,
  full: readonly Note[],
  cursor: string | undefined,
): { since: number; until: number } | undefined {
  const last = full.at(-1);
  if (last === undefined || query.exclude.includes('content')) return undefined;
  return {
    since: Math.max(shownSince(query), query.cursor?.lastUpdateAt ?? 0),
    until: cursor === undefined ? Number.MAX_SAFE_INTEGER : last.lastUpdateAt,
  };
}

function isAfter(note: Note, cursor: Cursor | undefined): boolean {
  if (cursor === undefined || note.lastUpdateAt > cursor.lastUpdateAt) return true;
  return note.lastUpdateAt === cursor.lastUpdateAt && note.id > cursor.noteId;
}
