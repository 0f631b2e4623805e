import type { Oid } from '../../format/model.ts';
import type { LastCommit } from '../../interface/history.ts';
import { lastAtMost } from '../ascending.ts';
import { FolderChanges } from './folder-changes.ts';
import {
  CHAIN_BYTES,
  CHANGE_BYTES,
  commitBytes,
  DamagedIndexError,
  FOLDER_BYTES,
  HASH_BYTES,
  HEADER_BYTES,
  lookupBytes,
  MAGIC,
  MERGE_BYTES,
  OPAQUE_BYTES,
  type SegmentSizes,
} from './format.ts';
import { PagedFile } from './paged-file.ts';

/** A run of commits; each is the first parent of the next. */
export interface Chain {
  /** number of its first commit */
  readonly start: number;
  /** number of the first parent of its first commit, or NONE */
  readonly attach: number;
}

/** A parent of a merge, but not the first one. */
export interface LaterParent {
  readonly number: number;
  readonly parent: number;
}

export interface Merges {
  /** number of later parents of these merges */
  readonly length: number;
  /** Yields the numbers of the merges, the greatest first. */
  numbers(): Iterable<number>;
}

/**
 * One file of the change index. Reads are synchronous, as in the embedded database, because pages are small and cached.
 */
export class SegmentFile {
  readonly sizes: SegmentSizes;
  readonly #file: PagedFile;
  readonly #at: { commits: number; oids: number; chains: number; opaque: number; merges: number };

  /** @throws DamagedIndexError; Error if the file cannot be read */
  constructor(path: string) {
    this.#file = new PagedFile(path);
    try {
      this.sizes = readHeader(this.#file);
      this.#at = offsetsOf(this.sizes);
      const end = this.#at.merges + this.sizes.merges * MERGE_BYTES;
      if (end !== this.#file.bytes) throw new DamagedIndexError('a segment has the wrong length');
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  close(): void {
    this.#file.close();
  }

  has(number: number): boolean {
    return number >= this.sizes.base && number < this.sizes.base + this.sizes.commits;
  }

  /** Returns the number of a commit. */
  numberOf(oid: Buffer): number | undefined {
    const { oidBytes, base, commits } = this.sizes;
    const row = lookupBytes(oidBytes);
    let [from, to] = [0, commits];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const found = this.#file.read(this.#at.oids + middle * row, row);
      const order = oid.compare(found, 0, oidBytes);
      if (order === 0) return base + found.readUInt32LE(oidBytes);
      if (order < 0) to = middle;
      else from = middle + 1;
    }
    return undefined;
  }

  commit(number: number): LastCommit & { readonly oid: Oid } {
    const row = this.commitRow(number);
    const { oidBytes } = this.sizes;
    return { oid: row.toString('hex', 0, oidBytes), seconds: row.readDoubleLE(oidBytes) };
  }

  secondsOf(number: number): number {
    return this.commitRow(number).readDoubleLE(this.sizes.oidBytes);
  }

  commitRow(number: number): Buffer {
    const row = commitBytes(this.sizes.oidBytes);
    return this.#file.read(this.#at.commits + (number - this.sizes.base) * row, row);
  }

  chainOf(number: number): Chain {
    const { base, chains } = this.sizes;
    const index = lastAtMost(chains, number - base, (at) =>
      this.#file.u32(this.#at.chains + at * CHAIN_BYTES),
    );
    return this.chain(index);
  }

  chain(index: number): Chain {
    const at = this.#at.chains + index * CHAIN_BYTES;
    return { start: this.sizes.base + this.#file.u32(at), attach: this.#file.u32(at + 4) };
  }

  /** Returns the greatest number of an opaque commit up to `number`. */
  opaqueUpTo(number: number): number | undefined {
    const { base, opaque } = this.sizes;
    const index = lastAtMost(opaque, number - base, (at) => this.#opaque(at));
    return index === -1 ? undefined : base + this.#opaque(index);
  }

  *opaque(): Generator<number> {
    for (let index = 0; index < this.sizes.opaque; index += 1) yield this.sizes.base + this.#opaque(index);
  }

  /** Yields the later parents of the commits with these numbers, both inclusive. */
  *laterParents(from: number, to: number): Generator<LaterParent> {
    for (let index = this.#mergesBefore(from); index < this.sizes.merges; index += 1) {
      const at = this.#at.merges + index * MERGE_BYTES;
      const number = this.sizes.base + this.#file.u32(at);
      if (number > to) return;
      yield { number, parent: this.#file.u32(at + 4) };
    }
  }

  /** Finds the merges among the commits with these numbers, both inclusive. */
  mergesBetween(from: number, to: number): Merges {
    const [first, end] = [this.#mergesBefore(from), this.#mergesBefore(to + 1)];
    const numberAt = (index: number) =>
      this.sizes.base + this.#file.u32(this.#at.merges + index * MERGE_BYTES);
    return {
      length: end - first,
      *numbers() {
        let last: number | undefined;
        for (let index = end - 1; index >= first; index -= 1) {
          const number = numberAt(index);
          if (number !== last) yield number;
          last = number;
        }
      },
    };
  }

  #mergesBefore(number: number): number {
    const { merges, base } = this.sizes;
    return (
      1 + lastAtMost(merges, number - base - 1, (at) => this.#file.u32(this.#at.merges + at * MERGE_BYTES))
    );
  }

  #opaque(index: number): number {
    return this.#file.u32(this.#at.opaque + index * OPAQUE_BYTES);
  }

  folder(hash: Buffer): FolderChanges | undefined {
    let [from, to] = [0, this.sizes.folders];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const row = this.#folderRow(middle);
      const order = hash.compare(row, 0, HASH_BYTES);
      if (order === 0) return this.#folderAt(row);
      if (order < 0) to = middle;
      else from = middle + 1;
    }
    return undefined;
  }

  /** Yields all folders, sorted by their hashes. */
  *folders(): Generator<{ readonly hash: Buffer; readonly changes: FolderChanges }> {
    for (let index = 0; index < this.sizes.folders; index += 1) {
      const row = this.#folderRow(index);
      yield { hash: row.subarray(0, HASH_BYTES), changes: this.#folderAt(row) };
    }
  }

  #folderRow(index: number): Buffer {
    return this.#file.read(this.sizes.foldersAt + index * FOLDER_BYTES, FOLDER_BYTES);
  }

  #folderAt(row: Buffer): FolderChanges {
    const names = row.readUInt32LE(HASH_BYTES + 8);
    const changes = row.readUInt32LE(HASH_BYTES + 12);
    const at = row.readDoubleLE(HASH_BYTES);
    return new FolderChanges(this.#file, {
      at,
      namesAt: at + changes * CHANGE_BYTES,
      names,
      base: this.sizes.base,
    });
  }
}

function readHeader(file: PagedFile): SegmentSizes {
  const header = file.read(0, HEADER_BYTES);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new DamagedIndexError('a segment has no header');
  const [oidBytes = 0, base = 0, commits = 0, chains = 0, opaque = 0, folders = 0, changes = 0] = Array.from(
    { length: 7 },
    (_, index) => header.readUInt32LE(8 + index * 4),
  );
  return {
    oidBytes,
    base,
    commits,
    chains,
    opaque,
    folders,
    changes,
    foldersAt: header.readDoubleLE(36),
    merges: header.readUInt32LE(44),
  };
}

function offsetsOf(sizes: SegmentSizes) {
  const commits = sizes.foldersAt + sizes.folders * FOLDER_BYTES;
  const oids = commits + sizes.commits * commitBytes(sizes.oidBytes);
  const chains = oids + sizes.commits * lookupBytes(sizes.oidBytes);
  const opaque = chains + sizes.chains * CHAIN_BYTES;
  return { commits, oids, chains, opaque, merges: opaque + sizes.opaque * OPAQUE_BYTES };
}
