import { type FileSpace, NamelessFile } from './nameless-file.ts';
import { Notice } from './notice.ts';

interface BroadcastOptions {
  /** bytes beyond this are written to the file */
  readonly memoryBytesMax: number;
  /** waiting readers are woken after this many new bytes, and at the end */
  readonly noticeBytes: number;
}

/**
 * Bytes from one writer for any number of readers. Each reader reads all bytes at its own pace, even while they are
 * being written. A few bytes are in memory, and more in a file, so no reader delays the writer or another reader.
 */
export class Broadcast {
  readonly #space: FileSpace;
  readonly #options: BroadcastOptions;
  readonly #changed = new Notice();
  /** the newest bytes; earlier bytes are in the file */
  #memory: Buffer[] = [];
  #memoryBytes = 0;
  #file: NamelessFile | undefined;
  #size = 0;
  /** bytes that readers have been woken for */
  #noticed = 0;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #readers = 0;
  #isClosed = false;

  constructor(space: FileSpace, options: BroadcastOptions) {
    this.#space = space;
    this.#options = options;
  }

  /** bytes appended so far */
  get size(): number {
    return this.#size;
  }

  /** Reserves disk space for this many bytes, before the first one is appended. Throws as `append`. */
  async reserve(bytes: number): Promise<void> {
    const file = await NamelessFile.open(this.#space);
    try {
      await file.reserve(bytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    await this.#closeIfUnused();
  }

  /** Adds bytes. Calls must not overlap. Throws the same errors as `NamelessFile.append`. */
  async append(chunk: Buffer): Promise<void> {
    this.#memory.push(chunk);
    this.#memoryBytes += chunk.length;
    this.#size += chunk.length;
    if (this.#size - this.#noticed >= this.#options.noticeBytes) this.#wake();
    if (this.#memoryBytes > this.#options.memoryBytesMax) await this.#moveToFile();
  }

  #wake(): void {
    this.#noticed = this.#size;
    this.#changed.notify();
  }

  async #moveToFile(): Promise<void> {
    this.#file ??= await NamelessFile.open(this.#space);
    await this.#file.append(Buffer.concat(this.#memory));
    this.#memory = [];
    this.#memoryBytes = 0;
  }

  /** Ends the bytes after those that were appended. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Ends the bytes early. Readers fail with this error after the bytes that were appended. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  /** Yields all bytes, and waits for later ones until the end. */
  async *read(): AsyncGenerator<Buffer> {
    this.#readers += 1;
    try {
      for (let at = 0; ; ) {
        while (at >= this.#size && !this.#isOver()) await this.#changed.next();
        if (at >= this.#size) return;
        const chunk = this.#inMemory(at) ?? (await this.#inFile(at));
        at += chunk.length;
        yield chunk;
      }
    } finally {
      this.#readers -= 1;
      await this.#closeIfUnused();
    }
  }

  /** @throws the reason of `fail` */
  #isOver(): boolean {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#isEnded;
  }

  /** @returns undefined if the file has the byte at this position */
  #inMemory(at: number): Buffer | undefined {
    let skipped = at - (this.#size - this.#memoryBytes);
    if (skipped < 0 || this.#isFreed()) return undefined;
    const rest: Buffer[] = [];
    for (const chunk of this.#memory) {
      if (skipped < chunk.length) rest.push(chunk.subarray(skipped));
      skipped = Math.max(0, skipped - chunk.length);
    }
    return Buffer.concat(rest);
  }

  async #inFile(at: number): Promise<Buffer> {
    if (this.#file === undefined) throw new Error('the bytes are gone');
    return this.#file.read(at);
  }

  #isFreed(): boolean {
    return this.#isClosed && this.#memory.length === 0;
  }

  /** Frees the file when all readers that have begun are done. Later readers fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#closeIfUnused();
  }

  async #closeIfUnused(): Promise<void> {
    if (!this.#isClosed || this.#readers > 0) return;
    const file = this.#file;
    this.#file = undefined;
    this.#memory = [];
    await file?.close();
  }
}
