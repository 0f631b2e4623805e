import type { ListedNotes } from './listed-notes.ts';
import type { Parameters } from './parameters.ts';

/** A client's query for the list of notes. */
export interface ListQuery {
  /** exact category; '' for notes without a category; undefined for all notes */
  readonly category: string | undefined;
  /** fields to leave out */
  readonly exclude: readonly string[];
  /** seconds; notes that were last changed before this time appear as ids only */
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

const CURSOR = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/;

export function listQueryOf(parameters: Parameters): ListQuery {
  return {
    category: parameters.text('category'),
    exclude: excludedOf(parameters),
    pruneBefore: Math.max(0, parameters.integer('pruneBefore') ?? 0),
    chunkSize: Math.max(0, parameters.integer('chunkSize') ?? 0),
    cursor: cursorOf(parameters.text('chunkCursor')),
  };
}

export function excludedOf(parameters: Parameters): readonly string[] {
  return (parameters.text('exclude') ?? '').split(',').map((name) => name.trim());
}

/** Parses a cursor. A malformed cursor counts as absent, so the list starts again. */
function cursorOf(text: string | undefined): Cursor | undefined {
  const match = CURSOR.exec(text ?? '');
  if (match === null) return undefined;
  const [start = 0, lastUpdateAt = 0, noteId = 0] = match.slice(1).map(Number);
  return { start, lastUpdateAt, noteId };
}

/** Returns the time, ms, before which unchanged notes appear as ids. */
export function shownSince({ pruneBefore }: Pick<ListQuery, 'pruneBefore'>): number {
  return Math.min(pruneBefore * 1000, Number.MAX_SAFE_INTEGER);
}

/** Returns where the next chunk starts; undefined after the last one. */
export function cursorAfter(
  { full: { last }, pending }: { readonly full: ListedNotes; readonly pending: number },
  asOf: number,
): string | undefined {
  return pending === 0 || last === undefined ? undefined : `${asOf}-${last.lastUpdateAt}-${last.id}`;
}

/**
 * Returns the range of last updates, in ms, both inclusive, from which a response has all texts; undefined if it has
 * none.
 */
export function shownTimes(
  query: ListQuery,
  { last }: ListedNotes,
  cursor: string | undefined,
): { since: number; until: number } | undefined {
  if (last === undefined || query.exclude.includes('content')) return undefined;
  return {
    since: Math.max(shownSince(query), query.cursor?.lastUpdateAt ?? 0),
    until: cursor === undefined ? Number.MAX_SAFE_INTEGER : last.lastUpdateAt,
  };
}
