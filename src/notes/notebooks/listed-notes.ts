import { NOTE_LIMITS } from './limits.ts';
import type { ListedNote } from './model.ts';

/** A note to list. */
interface ListedLine {
  readonly id: number;
  /** ms */
  readonly lastUpdateAt: number;
  /** size of the text; 0 if no text is shown */
  readonly textBytes: number;
  /** `id counter modifiedAt isFavorite oid path`, with 0 or 1 for `isFavorite` */
  readonly line: string;
}

/** No path has this character. */
const SEPARATOR = '\0';

/**
 * The notes of a list as of one moment, by last update, then id. They are packed, because a list can wait long for its
 * client, and objects for all notes would become garbage that outlives V8's young generation.
 */
export class ListedNotes {
  readonly count: number;
  readonly last: { readonly id: number; readonly lastUpdateAt: number } | undefined;
  /** parts in UTF-8; each has as many notes as are read at once */
  readonly #parts: readonly Buffer[];

  constructor(lines: ListedLine[]) {
    // The databases return the notes in this order, but do not promise it.
    lines.sort((one, other) => one.lastUpdateAt - other.lastUpdateAt || one.id - other.id);
    this.count = lines.length;
    const last = lines.at(-1);
    this.last = last && { id: last.id, lastUpdateAt: last.lastUpdateAt };
    this.#parts = [...packed(lines)];
  }

  /** Yields a few notes at a time, whose texts fit into memory together. */
  *parts(): Generator<readonly ListedNote[]> {
    for (const part of this.#parts) yield part.toString().split(SEPARATOR).map(noteOf);
  }
}

function* packed(lines: readonly ListedLine[]): Generator<Buffer> {
  let from = 0;
  let bytes = 0;
  for (const [at, { textBytes }] of lines.entries()) {
    if (at - from === NOTE_LIMITS.noteTextsReadAtOnceMax || bytes > NOTE_LIMITS.noteTextBytesReadAtOnce) {
      yield pack(lines.slice(from, at));
      from = at;
      bytes = 0;
    }
    bytes += textBytes;
  }
  if (from < lines.length) yield pack(lines.slice(from));
}

function pack(lines: readonly ListedLine[]): Buffer {
  return Buffer.from(lines.map(({ line }) => line).join(SEPARATOR));
}

const LINE = /^(\d+) (\d+) (\d+) ([01]) (\w+) (.*)$/s;

function noteOf(line: string): ListedNote {
  const match = LINE.exec(line);
  if (match === null) throw new Error(`not a line of a list: ${line}`);
  const [, id, counter, modifiedAt, favorite, oid = '', path = ''] = match;
  return {
    id: Number(id),
    counter: Number(counter),
    modifiedAt: Number(modifiedAt),
    isFavorite: favorite === '1',
    oid,
    path,
  };
}
