import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedIndexError } from './format.ts';

const PAGE_BYTES = 32 * 1024;
const PAGES_MAX = 64;

/** A file that never changes, read in pages. Recently read pages stay in memory. */
export class PagedFile {
  readonly bytes: number;
  readonly #fd: number;
  readonly #pages = new Map<number, Buffer>();

  constructor(path: string) {
    this.#fd = openSync(path, 'r');
    this.bytes = fstatSync(this.#fd).size;
  }

  /** @param at a multiple of 4, so that no number is in two pages */
  u32(at: number): number {
    const page = Math.floor(at / PAGE_BYTES);
    return this.#page(page).readUInt32LE(at - page * PAGE_BYTES);
  }

  /** @returns bytes that the caller must not change */
  read(at: number, length: number): Buffer {
    const page = Math.floor(at / PAGE_BYTES);
    const from = at - page * PAGE_BYTES;
    if (from + length <= PAGE_BYTES) return this.#page(page).subarray(from, from + length);
    return this.#readFromDisk(at, length);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #page(page: number): Buffer {
    const known = this.#pages.get(page);
    if (known !== undefined) return known;
    if (this.#pages.size >= PAGES_MAX) this.#pages.clear();
    const at = page * PAGE_BYTES;
    const content = this.#readFromDisk(at, Math.min(PAGE_BYTES, Math.max(this.bytes - at, 0)));
    this.#pages.set(page, content);
    return content;
  }

  #readFromDisk(at: number, length: number): Buffer {
    if (at + length > this.bytes) throw new DamagedIndexError('a segment is too short');
    const content = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const count = readSync(this.#fd, content, filled, length - filled, at + filled);
      if (count === 0) throw new DamagedIndexError('a segment is too short');
      filled += count;
    }
    return content;
  }
}
