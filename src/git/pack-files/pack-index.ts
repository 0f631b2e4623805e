import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { failedWith } from '../folders/file-errors.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';

const MAGIC_AND_VERSION = Buffer.from('ff744f6300000002', 'hex');
const WORD_BYTES = 4;
const LARGE_OFFSET_BYTES = 8;
/** Set in an offset that is the number of a large one. */
const IS_LARGE = 2 ** 31;
const FANOUT_BYTES = 256 * WORD_BYTES;
const NAMES_AT = MAGIC_AND_VERSION.length + FANOUT_BYTES;

/**
 * An open index, which says where in its pack each object begins. It reads a few pages that are in memory on most
 * machines, so waiting for a thread would take longer.
 *
 * @see gitformat-pack(5), "Version 2 pack-*.idx files"
 */
export class PackIndex implements Disposable {
  readonly #file: number;
  readonly #nameBytes: number;
  readonly #head: Buffer;

  private constructor(file: number, format: ObjectFormat) {
    this.#file = file;
    this.#nameBytes = hexDigits(format) / 2;
    this.#head = this.#read(0, NAMES_AT);
  }

  static open(path: string, format: ObjectFormat): PackIndex {
    const file = openSync(path, 'r');
    try {
      return new PackIndex(file, format);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** false: only git can read it */
  get isKnown(): boolean {
    return (
      this.#head.length === NAMES_AT &&
      this.#head.subarray(0, MAGIC_AND_VERSION.length).equals(MAGIC_AND_VERSION)
    );
  }

  has(oid: Oid): boolean {
    return this.#numberOf(oid) !== undefined;
  }

  /** Returns where an object begins in the pack; undefined if the pack does not have it. */
  positionOf(oid: Oid): number | undefined {
    const number = this.#numberOf(oid);
    if (number === undefined) return undefined;
    const count = this.#countUpTo(255);
    // The names and then the checksums of all objects precede the offsets.
    const offsetsAt = NAMES_AT + count * (this.#nameBytes + WORD_BYTES);
    const offset = this.#read(offsetsAt + number * WORD_BYTES, WORD_BYTES).readUInt32BE();
    if (offset < IS_LARGE) return offset;
    const largeAt = offsetsAt + count * WORD_BYTES + (offset - IS_LARGE) * LARGE_OFFSET_BYTES;
    return Number(this.#read(largeAt, LARGE_OFFSET_BYTES).readBigUInt64BE());
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** Searches the sorted names that begin with the same byte. */
  #numberOf(oid: Oid): number | undefined {
    const name = Buffer.from(oid, 'hex');
    const first = name[0] ?? 0;
    let [from, to] = [this.#countUpTo(first - 1), this.#countUpTo(first)];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = name.compare(this.#read(NAMES_AT + middle * this.#nameBytes, this.#nameBytes));
      if (order === 0) return middle;
      if (order < 0) to = middle;
      else from = middle + 1;
    }
    return undefined;
  }

  /** Returns how many names begin with this byte or a lower one. */
  #countUpTo(byte: number): number {
    return byte < 0 ? 0 : this.#head.readUInt32BE(MAGIC_AND_VERSION.length + byte * WORD_BYTES);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, length, position));
  }
}

/** Lists the paths of all indexes in a folder of packs. */
export function listIndexes(packs: string): readonly string[] {
  const names = undefinedIfGone(() => readdirSync(packs)) ?? [];
  return names.filter((name) => name.endsWith('.idx')).map((name) => join(packs, name));
}

/** Opens an index; undefined if a repack has deleted it. */
export function openIndex(path: string, format: ObjectFormat): PackIndex | undefined {
  return undefinedIfGone(() => PackIndex.open(path, format));
}

/** The folder may not be there yet, and a repack may have deleted a file. */
function undefinedIfGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
