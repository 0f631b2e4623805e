import { closeSync, openSync, writeSync } from 'node:fs';
import { FILE_MODE } from '../../../base/core/files/durable-files.ts';
import type { Change } from './folder-changes.ts';
import {
  CHANGE_BYTES,
  commitBytes,
  FOLDER_BYTES,
  HASH_BYTES,
  HEADER_BYTES,
  lookupBytes,
  MAGIC,
  NAME_BYTES,
  OPAQUE_BYTES,
  type SegmentSizes,
} from './format.ts';
import type { Chain, LaterParent } from './segment-file.ts';

const BUFFER_BYTES = 256 * 1024;

/** The commits of a segment, in the order of their numbers. */
export interface SegmentCommits {
  readonly count: number;
  /** one row for each commit: `commitBytes` */
  readonly rows: Buffer;
  readonly chains: readonly Chain[];
  /** numbers of the opaque commits, ascending */
  readonly opaque: readonly number[];
  /** sorted by the numbers of commits, and then in the order of their parents */
  readonly merges: readonly LaterParent[];
}

/** Writes one segment. Call `folder` for each folder in the order of the hashes, then `finish`. */
export class SegmentWriter {
  readonly #fd: number;
  readonly #base: number;
  readonly #oidBytes: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #folders: Buffer[] = [];
  #filled = 0;
  #at = 0;
  #changes = 0;

  constructor(path: string, { base, oidBytes }: { base: number; oidBytes: number }) {
    this.#fd = openSync(path, 'wx', FILE_MODE);
    this.#base = base;
    this.#oidBytes = oidBytes;
    this.#write(Buffer.alloc(HEADER_BYTES));
  }

  /** @param names entries of the folder in the order of their hashes, each with its changes in the order of numbers */
  folder(hash: Buffer, names: Iterable<{ readonly hash: Buffer; readonly changes: Iterable<Change> }>): void {
    const at = this.#at;
    const rows: Buffer[] = [];
    let count = 0;
    for (const name of names) {
      const first = count;
      for (const { number, next } of name.changes) {
        this.#pair(number - this.#base, next);
        count += 1;
      }
      rows.push(row(NAME_BYTES, name.hash, [first, count - first]));
    }
    for (const each of rows) this.#write(each);
    const folder = Buffer.allocUnsafe(FOLDER_BYTES);
    hash.copy(folder);
    folder.writeDoubleLE(at, HASH_BYTES);
    folder.writeUInt32LE(rows.length, HASH_BYTES + 8);
    folder.writeUInt32LE(count, HASH_BYTES + 12);
    this.#folders.push(folder);
    this.#changes += count;
  }

  /** Writes the rest of the segment. The caller syncs the file. */
  finish(commits: SegmentCommits): SegmentSizes {
    const sizes: SegmentSizes = {
      oidBytes: this.#oidBytes,
      base: this.#base,
      commits: commits.count,
      chains: commits.chains.length,
      opaque: commits.opaque.length,
      merges: commits.merges.length,
      folders: this.#folders.length,
      changes: this.#changes,
      foldersAt: this.#at,
    };
    for (const folder of this.#folders) this.#write(folder);
    this.#write(commits.rows);
    this.#writeLookup(commits);
    for (const { start, attach } of commits.chains) this.#pair(start - this.#base, attach);
    for (const number of commits.opaque)
      this.#write(row(OPAQUE_BYTES, Buffer.alloc(0), [number - this.#base]));
    for (const { number, parent } of commits.merges) this.#pair(number - this.#base, parent);
    this.#flush();
    const header = headerOf(sizes);
    writeSync(this.#fd, header, 0, header.length, 0);
    return sizes;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #writeLookup({ rows, count }: SegmentCommits): void {
    const bytes = commitBytes(this.#oidBytes);
    const order = Uint32Array.from({ length: count }, (_, index) => index);
    const oidBytes = this.#oidBytes;
    order.sort((a, b) =>
      rows.compare(rows, b * bytes, b * bytes + oidBytes, a * bytes, a * bytes + oidBytes),
    );
    for (const index of order) {
      const oid = rows.subarray(index * bytes, index * bytes + oidBytes);
      this.#write(row(lookupBytes(oidBytes), oid, [index]));
    }
  }

  #pair(one: number, other: number): void {
    if (this.#filled + CHANGE_BYTES > BUFFER_BYTES) this.#flush();
    this.#buffer.writeUInt32LE(one, this.#filled);
    this.#buffer.writeUInt32LE(other, this.#filled + 4);
    this.#filled += CHANGE_BYTES;
    this.#at += CHANGE_BYTES;
  }

  #write(bytes: Buffer): void {
    if (this.#filled + bytes.length > BUFFER_BYTES) this.#flush();
    this.#at += bytes.length;
    if (bytes.length > BUFFER_BYTES) writeAll(this.#fd, bytes);
    else this.#filled += bytes.copy(this.#buffer, this.#filled);
  }

  #flush(): void {
    writeAll(this.#fd, this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

function row(bytes: number, prefix: Buffer, numbers: readonly number[]): Buffer {
  const made = Buffer.allocUnsafe(bytes);
  prefix.copy(made);
  for (const [index, number] of numbers.entries()) made.writeUInt32LE(number, prefix.length + index * 4);
  return made;
}

function headerOf(sizes: SegmentSizes): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  const { oidBytes, base, commits, chains, opaque, folders, changes } = sizes;
  for (const [index, number] of [oidBytes, base, commits, chains, opaque, folders, changes].entries()) {
    header.writeUInt32LE(number, 8 + index * 4);
  }
  header.writeDoubleLE(sizes.foldersAt, 36);
  header.writeUInt32LE(sizes.merges, 44);
  return header;
}
