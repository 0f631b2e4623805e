import type { Note } from './model.ts';
import type { Parameters } from './parameters.ts';
import { seconds } from './versions.ts';

/** What a client wants of the list of its notes. */
export interface ListQuery {
  /** exactly this one, '' for notes without one; undefined: all */
  readonly category: string | undefined;
  /** fields that are left out */
  readonly exclude: readonly string[];
  /** seconds; notes that were last changed before come as their ids alone */
  readonly pruneBefore: number;
  /** at most this many notes in full; 0: all */
  readonly chunkSize: number;
  readonly cursor: Cursor | undefined;
}

/** How far a list has been told in chunks. */
interface Cursor {
  /** seconds; when the first chunk was asked for */
  readonly start: number;
  /** of the last note told in full, ms */
  readonly lastUpdateAt: number;
  readonly noteId: number;
}

/** What of a list is told. */
export interface Selection {
  readonly full: readonly Note[];
  /** told as ids, so that clients know that they are still there */
  readonly pruned: readonly Note[];
  /** notes in full that are left for the next chunks */
  readonly pending: number;
  /** where the next chunk goes on; undefined at the end */
  readonly cursor: string | undefined;
  /** seconds; what the client asks for next time */
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

/** One that cannot be read counts as none: the list begins anew. */
function cursorOf(text: string | undefined): Cursor | undefined {
  const match = CURSOR.exec(text ?? '');
  if (match === null) return undefined;
  const [start = 0, lastUpdateAt = 0, noteId = 0] = match.slice(1).map(Number);
  return { start, lastUpdateAt, noteId };
}

/** Notes that were last changed before this, ms, are told without their content. */
export function shownSince(query: ListQuery): number {
  if (query.exclude.includes('content')) return Number.MAX_SAFE_INTEGER;
  return Math.min(Math.max(0, query.pruneBefore) * 1000, Number.MAX_SAFE_INTEGER);
}

/**
 * @param notes by last update, then id
 * @param now when the request began, ms
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
  const told = new Set(full);
  return { full, pruned: wanted.filter((note) => !told.has(note)), pending: 0, cursor: undefined, asOf };
}

function isAfter(note: Note, cursor: Cursor | undefined): boolean {
  if (cursor === undefined || note.lastUpdateAt > cursor.lastUpdateAt) return true;
  return note.lastUpdateAt === cursor.lastUpdateAt && note.id > cursor.noteId;
}
