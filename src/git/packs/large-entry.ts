import { createInflate, type Inflate } from 'node:zlib';
import { invalid } from '../../base/core/failure.ts';
import { freeBuffer } from '../../base/core/native/free-buffer.ts';

const OUTPUT_BYTES = 256 * 1024;

/** Inflates one large object of a pack as its bytes arrive, and keeps only the first ones. */
export class LargeEntry {
  /** the claimed length */
  readonly #size: number;
  readonly #headBytesMax: number;
  readonly #inflate: Inflate = createInflate({ chunkSize: OUTPUT_BYTES });
  #head: Buffer = Buffer.alloc(0);
  #inflated = 0;
  #failure: Error | undefined;
  /** called when the bytes given last are inflated, or the object has ended */
  #onUsed = () => {};

  constructor(size: number, headBytesMax: number) {
    this.#size = size;
    this.#headBytesMax = headBytesMax;
    this.#inflate.on('data', (piece: Buffer) => this.#count(piece));
    this.#inflate.on('error', (cause) => this.#fail(invalid('the pack has a broken object', { cause })));
    this.#inflate.on('end', () => this.#onUsed()).on('close', () => this.#onUsed());
  }

  /** the first inflated bytes */
  get head(): Buffer {
    return this.#head;
  }

  /**
   * @returns how many of the bytes belong to the object: all of them unless it ends before
   * @throws ForgeError `invalid` for an object that is broken, or not as long as its size says
   */
  async add(bytes: Buffer): Promise<number> {
    const before = this.#inflate.bytesWritten;
    await new Promise<void>((resolve) => {
      this.#onUsed = resolve;
      this.#inflate.write(bytes, () => resolve());
    });
    if (this.#failure !== undefined) throw this.#failure;
    const used = this.#inflate.bytesWritten - before;
    if (used < bytes.length && this.#inflated !== this.#size) throw wrongSize();
    return used;
  }

  end(): void {
    this.#inflate.destroy();
  }

  #count(piece: Buffer): void {
    this.#inflated += piece.length;
    if (this.#head.length < this.#headBytesMax) {
      this.#head = Buffer.concat([this.#head, piece]).subarray(0, this.#headBytesMax);
    }
    freeBuffer(piece);
    if (this.#inflated > this.#size) this.#fail(wrongSize());
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#inflate.destroy();
  }
}

export function wrongSize(): Error {
  return invalid('the pack has an object that is not as long as its size says');
}
