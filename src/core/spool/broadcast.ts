import { type FileSpace, NamelessFile } from './nameless-file.ts';
import { Notice } from './notice.ts';

/**
 * Bytes from one writer for any number of readers. Each reader gets all of them at its own pace, also while they are being
 * written. They are in memory while they are few, otherwise in a file, so no reader delays the writer or another reader.
 */
export class Broadcast {
  readonly #space: FileSpace;
  readonly #memoryBytesMax: number;
  readonly #changed = new Notice();
  #memory: Buffer[] = [];
  #file: NamelessFile | undefined;
  #size = 0;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #readers = 0;
  #isClosed = false;

  constructor(space: FileSpace, options: { memoryBytesMax: number }) {
    this.#space = space;
    this.#memoryBytesMax = options.memoryBytesMax;
  }

  /** bytes appended so far */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes. Calls must not overlap. Throws the same errors as `NamelessFile.append`. */
  async append(chunk: Buffer): Promise<void> {
    if (this.#file === undefined && this.#size + chunk.length > this.#memoryBytesMax)
      await this.#leaveMemory();
    await this.#file?.append(chunk);
    if (this.#file === undefined) this.#memory.push(chunk);
    this.#size += chunk.length;
    this.#changed.give();
  }

  async #leaveMemory(): Promise<void> {
    const file = await NamelessFile.open(this.#space);
    try {
      for (const chunk of this.#memory) await file.append(chunk);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    this.#memory = [];
  }

  /** Says that all bytes have been appended. */
  end(): void {
    this.#isEnded = true;
    this.#changed.give();
  }

  /** Says that the rest will not come. Readers fail with this error after the bytes that were appended. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#changed.give();
  }

  /** Yields all bytes, and waits for later ones until the end. */
  async *read(): AsyncGenerator<Buffer> {
    this.#readers += 1;
    try {
      for (let at = 0; ; ) {
        while (at >= this.#size && !this.#isOver()) await this.#changed.next();
        if (at >= this.#size) return;
        const chunk = (await this.#file?.read(at)) ?? this.#inMemory(at);
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

  #inMemory(at: number): Buffer {
    let start = 0;
    for (const chunk of this.#memory) {
      if (at < start + chunk.length) return chunk.subarray(at - start);
      start += chunk.length;
    }
    throw new Error('the bytes are gone');
  }

  /** Frees the file when the last reader that has begun is done. Later readers fail. */
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
