import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Caller, currentCaller, runFor } from '../fairness/caller.ts';
import type { FairSlots } from '../fairness/fair-slots.ts';
import { FILE_MODE, FOLDER_MODE } from '../files/durable-files.ts';

export const MIB = 1024 * 1024;
const READ_BYTES = 64 * 1024;

/** A folder for temporary files, and the disk space that callers share there. */
export interface FileSpace {
  readonly folder: string;
  /** in MiB; has no queue, because callers that hold space would wait for each other */
  readonly room: FairSlots;
}

/**
 * A temporary file whose name is removed at once, so nothing of it is left when the process ends. It belongs to the
 * caller that opens it.
 */
export class NamelessFile {
  readonly #handle: FileHandle;
  readonly #space: FileSpace;
  readonly #caller: Caller;
  readonly #leaves: (() => void)[] = [];
  #roomMib = 0;
  #size = 0;
  #isClosed = false;

  private constructor(handle: FileHandle, space: FileSpace) {
    this.#handle = handle;
    this.#space = space;
    this.#caller = currentCaller();
  }

  static async open(space: FileSpace): Promise<NamelessFile> {
    await mkdir(space.folder, { recursive: true, mode: FOLDER_MODE });
    const path = join(space.folder, randomBytes(12).toString('hex'));
    const handle = await open(path, 'wx+', FILE_MODE);
    try {
      await rm(path, { force: true });
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new NamelessFile(handle, space);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  /** bytes appended so far */
  get size(): number {
    return this.#size;
  }

  /** @throws ForgeError `busy` if the caller, or all callers together, hold too much disk space; a system error */
  async append(...chunks: readonly Uint8Array[]): Promise<void> {
    const end = chunks.reduce((sum, { length }) => sum + length, this.#size);
    while (end > this.#roomMib * MIB) await this.#takeRoom(1);
    let left = chunks.filter(({ length }) => length > 0);
    for (let at = this.#size; at < end; ) {
      const { bytesWritten } = await this.#handle.writev(left, at);
      at += bytesWritten;
      left = withoutStart(left, bytesWritten);
    }
    this.#size = end;
  }

  /** Reserves disk space for this many bytes before they are appended. @throws as `append` */
  async reserve(bytes: number): Promise<void> {
    const units = Math.ceil(bytes / MIB) - this.#roomMib;
    if (units > 0) await this.#takeRoom(units);
  }

  /** @param units at most as many as one caller may hold */
  async #takeRoom(units: number): Promise<void> {
    const leave = await runFor(this.#caller, () => this.#space.room.enter({ units }));
    this.#leaves.push(leave);
    this.#roomMib += units;
    if (!this.#isClosed) return;
    this.#free();
    throw new Error('the temporary file is closed');
  }

  /** Reads up to 64 KiB from a position before the end. */
  async read(position: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.#size - position));
    return buffer.subarray(0, await this.readInto(buffer, position));
  }

  /** Reads into a buffer from a position before the end. Returns how many bytes, at least one. */
  async readInto(buffer: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
    return bytesRead;
  }

  /** Removes all bytes, and frees their space. */
  async truncate(): Promise<void> {
    await this.#handle.truncate(0);
    this.#size = 0;
    this.#free();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#handle.close();
    this.#free();
  }

  #free(): void {
    for (const leave of this.#leaves.splice(0)) leave();
    this.#roomMib = 0;
  }
}

/** Returns the pieces without their first `bytes`. */
function withoutStart(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const start = Math.min(skipped, piece.length);
    skipped -= start;
    return start < piece.length ? piece.subarray(start) : [];
  });
}
