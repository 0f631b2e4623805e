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

  /** the file with what has been written so far; undefined while all is in memory */
  get file(): Pick<NamelessFile, 'descriptor' | 'size'> | undefined {
    return this.#file;
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

  /** Yields the bytes from `start` up to `end`, by default all. Can be called several times. */
  async *read(start = 0, end = this.#size): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = this.#file === undefined ? this.#remembered(at) : await this.#file.read(at);
      yield piece.subarray(0, end - at);
      at += piece.length;
    }
  }

  #remembered(position: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#memory;
    const whole = this.#memory.length === 1 ? first : Buffer.concat(this.#memory);
    this.#memory = [whole];
    return whole.subarray(position);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory = [];
    await this.#file?.close();
    this.#file = undefined;
  }
}
