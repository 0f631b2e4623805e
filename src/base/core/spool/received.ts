import { freeBuffer } from '../native/free-buffer.ts';
import { type FileSpace, NamelessFile } from './nameless-file.ts';

/** Chunks that are written to the file together. Each chunk takes memory in addition to its bytes. */
const CHUNKS_TOGETHER_MAX = 64;

/** Bytes that are received completely before they are used. A few bytes are in memory, and more in a file. */
export class Received implements AsyncDisposable {
  readonly #space: FileSpace;
  readonly #memoryBytesMax: number;
  readonly #freesChunks: boolean;
  /** all bytes, or the bytes after those in the file */
  #memory: Buffer[] = [];
  #size = 0;
  #file: NamelessFile | undefined;

  /**
   * @param options.freesChunks whether to free the memory of chunks that are in the file; no other code may use them
   */
  constructor(space: FileSpace, options: { memoryBytesMax: number; freesChunks?: boolean }) {
    this.#space = space;
    this.#memoryBytesMax = options.memoryBytesMax;
    this.#freesChunks = options.freesChunks ?? false;
  }

  get size(): number {
    return this.#size;
  }

  /** the file, with the bytes that were written so far; undefined while all bytes are in memory */
  get file(): Pick<NamelessFile, 'descriptor' | 'size' | 'readInto'> | undefined {
    return this.#file;
  }

  /** Adds bytes. Calls must not overlap. Throws the same errors as `NamelessFile.append`. */
  async append(chunk: Buffer): Promise<void> {
    this.#size += chunk.length;
    this.#memory.push(chunk);
    if (this.#size - (this.#file?.size ?? 0) > this.#memoryBytesMax) {
      this.#file ??= await NamelessFile.open(this.#space);
      await this.flush();
    } else if (this.#memory.length > CHUNKS_TOGETHER_MAX) await this.flush();
  }

  /** Writes the bytes in memory to the file, if there is a file. Throws the same errors as `append`. */
  async flush(): Promise<void> {
    if (this.#file === undefined) return;
    const chunks = this.#memory.splice(0);
    await this.#file.append(...chunks);
    if (this.#freesChunks) for (const chunk of chunks) freeBuffer(chunk);
  }

  /** Yields the bytes from `start` up to `end`, by default all. Can be called several times. */
  async *read(start = 0, end = this.#size): AsyncGenerator<Buffer> {
    await this.flush();
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
