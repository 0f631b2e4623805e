import { type FileSpace, NamelessFile } from './nameless-file.ts';

/** Bytes that are received completely before they are used: in memory while they are few, otherwise in a file. */
export class Received implements AsyncDisposable {
  readonly #space: FileSpace;
  readonly #memoryBytesMax: number;
  #memory: Buffer[] = [];
  #size = 0;
  #file: NamelessFile | undefined;

  constructor(space: FileSpace, options: { memoryBytesMax: number }) {
    this.#space = space;
    this.#memoryBytesMax = options.memoryBytesMax;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds bytes. Calls must not overlap. Throws the same errors as `NamelessFile.append`. */
  async append(chunk: Buffer): Promise<void> {
    this.#size += chunk.length;
    if (this.#file === undefined && this.#size <= this.#memoryBytesMax) {
      this.#memory.push(chunk);
      return;
    }
    this.#file ??= await NamelessFile.open(this.#space);
    for (const earlier of this.#memory.splice(0)) await this.#file.append(earlier);
    await this.#file.append(chunk);
  }

  /** Yields all bytes. Can be called several times. */
  async *read(): AsyncGenerator<Buffer> {
    if (this.#file === undefined) return yield* this.#memory;
    for (let at = 0; at < this.#file.size; ) {
      const piece = await this.#file.read(at);
      at += piece.length;
      yield piece;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory = [];
    await this.#file?.close();
    this.#file = undefined;
  }
}
