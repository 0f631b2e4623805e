import { lastAtMost } from '../ascending.ts';
import { CHANGE_BYTES, HASH_BYTES, NAME_BYTES } from './format.ts';
import type { PagedFile } from './paged-file.ts';

/** The changes of one entry, as a range of the changes of its folder. */
export interface EntryChanges {
  readonly first: number;
  readonly count: number;
}

/** A commit that changed an entry. */
export interface Change {
  /** number of the commit */
  readonly number: number;
  /** the same number; but if the commit is a merge that has the entry of a later parent, the number of that parent */
  readonly next: number;
}

/** The changes of one folder in one segment. */
export class FolderChanges {
  readonly names: number;
  readonly #file: PagedFile;
  readonly #at: number;
  readonly #base: number;
  readonly #namesAt: number;
  #table: Buffer | undefined;

  constructor(file: PagedFile, place: { at: number; namesAt: number; names: number; base: number }) {
    this.#file = file;
    this.#at = place.at;
    this.#namesAt = place.namesAt;
    this.#base = place.base;
    this.names = place.names;
  }

  entry(hash: Buffer): EntryChanges | undefined {
    const table = this.#names();
    let [from, to] = [0, this.names];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const at = middle * NAME_BYTES;
      const order = hash.compare(table, at, at + HASH_BYTES);
      if (order === 0) return this.#entryAt(at);
      if (order < 0) to = middle;
      else from = middle + 1;
    }
    return undefined;
  }

  /** Yields all entries, sorted by the hashes of their names. */
  *entries(): Generator<{ readonly hash: Buffer; readonly entry: EntryChanges }> {
    const table = this.#names();
    for (let at = 0; at < table.length; at += NAME_BYTES) {
      yield { hash: table.subarray(at, at + HASH_BYTES), entry: this.#entryAt(at) };
    }
  }

  /** Returns the last change up to the commit `number`. */
  lastUpTo(number: number, { first, count }: EntryChanges): Change | undefined {
    let [from, to] = [first, first + count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#file.u32(this.#at + middle * CHANGE_BYTES) <= number - this.#base) from = middle + 1;
      else to = middle;
    }
    return from === first ? undefined : this.#change(from - 1);
  }

  /** Returns how many changes the commits with these numbers have, both inclusive. */
  countBetween(from: number, to: number, { first, count }: EntryChanges): number {
    const upTo = (number: number) =>
      lastAtMost(count, number - this.#base, (index) =>
        this.#file.u32(this.#at + (first + index) * CHANGE_BYTES),
      );
    return upTo(to) - upTo(from - 1);
  }

  *changesOf({ first, count }: EntryChanges): Generator<Change> {
    for (let index = first; index < first + count; index += 1) yield this.#change(index);
  }

  #change(index: number): Change {
    const at = this.#at + index * CHANGE_BYTES;
    return { number: this.#base + this.#file.u32(at), next: this.#file.u32(at + 4) };
  }

  #names(): Buffer {
    this.#table ??= this.#file.read(this.#namesAt, this.names * NAME_BYTES);
    return this.#table;
  }

  #entryAt(at: number): EntryChanges {
    const table = this.#names();
    return { first: table.readUInt32LE(at + HASH_BYTES), count: table.readUInt32LE(at + HASH_BYTES + 4) };
  }
}
