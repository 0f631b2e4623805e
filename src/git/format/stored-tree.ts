import { invalid } from '../../base/core/failure.ts';
import { MalformedObjectError } from './malformed-object.ts';
import type { ObjectFormat, TreeEntry, TreeMode } from './model.ts';
import { bytesOfName, nameOfBytes } from './name-bytes.ts';
import { hexDigits } from './object-format.ts';
import { encodeEntry, encodeTree } from './tree-format.ts';

const SPACE = 0x20;
const SLASH = 0x2f;
const ZERO = 0x30;
const SEVEN = 0x37;
const MODE_DIGITS_MAX = 7;
const KIND = 0o170000;
const FOLDER = 0o040000;
/** Modes as git writes them now. */
const PLAIN_MODES: ReadonlySet<number> = new Set([FOLDER, 0o100644, 0o100755, 0o120000, 0o160000]);

/** Where a name is. A folder sorts as if its name ended in a slash. */
interface SortKey {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly isFolder: boolean;
}

/** Replaces the bytes from `start` to `end`, which are whole entries. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly key: SortKey;
  readonly bytes: Uint8Array;
}

/**
 * The content of a tree object of real history. It knows where its entries are, so that one entry of a large folder is
 * found, changed or compared without making objects of all others.
 */
export class StoredTree {
  readonly content: Buffer;
  readonly #format: ObjectFormat;
  /** where each entry begins; at the end, where the last one ends */
  readonly #starts: Uint32Array;
  readonly #nameStarts: Uint32Array;
  #entries: readonly TreeEntry[] | undefined;
  #isSorted: boolean | undefined;

  /** @throws MalformedObjectError */
  constructor(format: ObjectFormat, content: Uint8Array) {
    this.#format = format;
    this.content = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    [this.#starts, this.#nameStarts] = findEntries(this.content, this.#oidBytes);
  }

  /** number of entries */
  get size(): number {
    return this.#nameStarts.length;
  }

  /** Modes with leading zeros or group bits become the equivalent standard modes. */
  get entries(): readonly TreeEntry[] {
    this.#entries ??= Array.from({ length: this.size }, (_, index) => this.#read(index));
    return this.#entries;
  }

  /** Whether each entry comes after the one before it, in git's order. */
  get isSorted(): boolean {
    this.#isSorted ??= this.#isInOrder();
    return this.#isSorted;
  }

  entryAt(index: number): TreeEntry | undefined {
    return this.#entries?.[index] ?? (index < this.size ? this.#read(index) : undefined);
  }

  /** Finds the first entry with a name. */
  find(name: string | Uint8Array): TreeEntry | undefined {
    if (typeof name === 'string' && !name.isWellFormed()) return undefined;
    const bytes = typeof name === 'string' ? bytesOfName(name) : Buffer.from(name);
    const [index] = this.isSorted ? this.#placesOf(bytes) : this.#placesWithoutOrder(bytes);
    return index === undefined ? undefined : this.entryAt(index);
  }

  /**
   * Returns the content with some entries added, replaced or (null) removed, by their names, as git writes it.
   *
   * @throws ForgeError `invalid` as `encodeTree`
   */
  with(changes: ReadonlyMap<string, TreeEntry | null>): Buffer {
    if (!this.isSorted || !this.#isPlain()) return this.#encodedWith(changes);
    const splices = [...changes].flatMap(([name, entry]) => this.#splicesFor(bytesOfName(name), entry));
    // What is inserted at a place comes before the entry there.
    splices.sort((a, b) => a.start - b.start || a.end - b.end || compareKeys(a.key, b.key));
    const pieces: Uint8Array[] = [];
    let at = 0;
    for (const { start, end, bytes } of splices) {
      pieces.push(this.content.subarray(at, start), bytes);
      at = end;
    }
    return Buffer.concat([...pieces, this.content.subarray(at)]);
  }

  /** Whether an entry has the same bytes as one of another tree. */
  isSameAt(index: number, other: StoredTree, otherIndex: number): boolean {
    const end = this.#start(index + 1);
    let [at, otherAt] = [this.#start(index), other.#start(otherIndex)];
    if (end - at !== other.#start(otherIndex + 1) - otherAt) return false;
    while (at < end && this.content[at] === other.content[otherAt]) {
      at += 1;
      otherAt += 1;
    }
    return at === end;
  }

  /** Compares an entry with one of another tree, in git's order. */
  compareAt(index: number, other: StoredTree, otherIndex: number): number {
    return compareKeys(this.#keyAt(index), other.#keyAt(otherIndex));
  }

  get #oidBytes(): number {
    return hexDigits(this.#format) / 2;
  }

  #start(index: number): number {
    return this.#starts[index] ?? this.content.length;
  }

  #nameStart(index: number): number {
    return this.#nameStarts[index] ?? this.content.length;
  }

  #nameEnd(index: number): number {
    return this.#start(index + 1) - this.#oidBytes - 1;
  }

  #mode(index: number): number {
    let mode = 0;
    for (let at = this.#start(index); at < this.#nameStart(index) - 1; at += 1)
      mode = mode * 8 + (this.content[at] ?? ZERO) - ZERO;
    return mode;
  }

  #keyAt(index: number): SortKey {
    const isFolder = (this.#mode(index) & KIND) === FOLDER;
    return { bytes: this.content, start: this.#nameStart(index), end: this.#nameEnd(index), isFolder };
  }

  #read(index: number): TreeEntry {
    const nameEnd = this.#nameEnd(index);
    return {
      mode: modeOf(this.#mode(index)),
      name: nameOfBytes(this.content, this.#nameStart(index), nameEnd),
      oid: this.content.toString('hex', nameEnd + 1, this.#start(index + 1)),
    };
  }

  #isInOrder(): boolean {
    for (let index = 1; index < this.size; index += 1)
      if (this.compareAt(index - 1, this, index) >= 0) return false;
    return true;
  }

  /** Whether git would write the same bytes for the same entries in this order. */
  #isPlain(): boolean {
    for (let index = 0; index < this.size; index += 1) {
      const isPlainMode = this.content[this.#start(index)] !== ZERO && PLAIN_MODES.has(this.#mode(index));
      const [nameStart, nameEnd] = [this.#nameStart(index), this.#nameEnd(index)];
      if (!isPlainMode || nameStart === nameEnd) return false;
      for (let at = nameStart; at < nameEnd; at += 1) if (this.content[at] === SLASH) return false;
    }
    return true;
  }

  /** Returns the place of the first entry that does not come before `key`, if the entries are in order. */
  #placeFor(key: SortKey): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareKeys(this.#keyAt(middle), key) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Returns the places of the entries with a name, if the entries are in order: a broken tree may have two. */
  #placesOf(name: Buffer): readonly number[] {
    return [false, true].flatMap((isFolder) => {
      const key = keyOf(name, isFolder);
      const place = this.#placeFor(key);
      return place < this.size && compareKeys(this.#keyAt(place), key) === 0 ? [place] : [];
    });
  }

  #placesWithoutOrder(name: Buffer): readonly number[] {
    const isNamed = (_: unknown, index: number) =>
      name.equals(this.content.subarray(this.#nameStart(index), this.#nameEnd(index)));
    const first = this.#nameStarts.findIndex(isNamed);
    return first === -1 ? [] : [first];
  }

  #splicesFor(name: Buffer, entry: TreeEntry | null): readonly Splice[] {
    const removals = this.#placesOf(name).map((place) => ({
      start: this.#start(place),
      end: this.#start(place + 1),
      key: this.#keyAt(place),
      bytes: new Uint8Array(),
    }));
    if (entry === null) return removals;
    const key = keyOf(name, entry.mode === '040000');
    const start = this.#start(this.#placeFor(key));
    return [...removals, { start, end: start, key, bytes: encodeEntry(this.#format, entry) }];
  }

  /** Whether the bytes of all names can be read from their texts. */
  #keepsNames(): boolean {
    return this.entries.every(({ name }, index) =>
      bytesOfName(name).equals(this.content.subarray(this.#nameStart(index), this.#nameEnd(index))),
    );
  }

  #encodedWith(changes: ReadonlyMap<string, TreeEntry | null>): Buffer {
    const entries = new Map(this.entries.map((entry) => [entry.name, entry]));
    if (!this.#keepsNames()) throw invalid('a name in this folder is too long to write the folder anew');
    for (const [name, entry] of changes) {
      if (entry === null) entries.delete(name);
      else entries.set(name, entry);
    }
    return encodeTree(this.#format, [...entries.values()]);
  }
}

/** Reads the entries of a tree. @throws MalformedObjectError */
export function parseTree(format: ObjectFormat, content: Uint8Array): readonly TreeEntry[] {
  return new StoredTree(format, content).entries;
}

function keyOf(name: Buffer, isFolder: boolean): SortKey {
  return { bytes: name, start: 0, end: name.length, isFolder };
}

function compareKeys(a: SortKey, b: SortKey): number {
  const [lengthOfA, lengthOfB] = [a.end - a.start, b.end - b.start];
  const length = Math.min(lengthOfA, lengthOfB);
  for (let at = 0; at < length; at += 1) {
    const difference = (a.bytes[a.start + at] ?? 0) - (b.bytes[b.start + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return byteAfter(a, length) - byteAfter(b, length) || lengthOfA - lengthOfB;
}

function byteAfter({ bytes, start, end, isFolder }: SortKey, length: number): number {
  if (start + length < end) return bytes[start + length] ?? 0;
  return isFolder ? SLASH : -1;
}

/** Finds where the entries of a tree and their names begin. @throws MalformedObjectError */
function findEntries(content: Buffer, oidBytes: number): readonly [starts: Uint32Array, names: Uint32Array] {
  const starts: number[] = [];
  const names: number[] = [];
  let at = 0;
  while (at < content.length) {
    starts.push(at);
    at = endOfMode(content, at) + 1;
    names.push(at);
    while (at < content.length && content[at] !== 0) at += 1;
    at += 1 + oidBytes;
    if (at > content.length) throw endsInTheMiddle();
  }
  starts.push(at);
  return [Uint32Array.from(starts), Uint32Array.from(names)];
}

function endOfMode(content: Buffer, start: number): number {
  let at = start;
  while (at < content.length && content[at] !== SPACE) {
    const digit = content[at] ?? 0;
    if (digit < ZERO || digit > SEVEN || at - start === MODE_DIGITS_MAX) throw hasBadMode();
    at += 1;
  }
  if (at === content.length) throw endsInTheMiddle();
  if (at === start) throw hasBadMode();
  return at;
}

function endsInTheMiddle(): MalformedObjectError {
  return new MalformedObjectError('tree', 'it ends in the middle of an entry');
}

function hasBadMode(): MalformedObjectError {
  return new MalformedObjectError('tree', 'it has a mode that is not a number');
}

/** Like canon_mode in git's cache.h: only the kind of file and the owner's execute bit matter. */
function modeOf(mode: number): TreeMode {
  const kind = mode & KIND;
  if (kind === FOLDER) return '040000';
  if (kind === 0o120000) return '120000';
  if (kind === 0o100000) return (mode & 0o100) === 0 ? '100644' : '100755';
  return '160000';
}
