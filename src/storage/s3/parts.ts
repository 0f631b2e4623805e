/**
 * Cuts a body into parts of equal size; the last one may be smaller. Two buffers take turns, so a part is valid until the
 * one after the next is requested.
 *
 * @yields at least one part, which is empty for an empty body
 */
export async function* partsOf(
  body: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }, void> {
  const buffers = [new GrowingBuffer(partBytes), new GrowingBuffer(partBytes)] as const;
  let current: GrowingBuffer = buffers[0];
  for await (const chunk of body) {
    for (let rest = chunk; rest.length > 0; ) {
      // Only now is it certain that it is not the last one.
      if (current.isFull) {
        yield { bytes: current.bytes, isLast: false };
        current = current === buffers[0] ? buffers[1] : buffers[0];
        current.clear();
      }
      rest = rest.subarray(current.add(rest));
    }
  }
  yield { bytes: current.bytes, isLast: true };
}

/** Most bodies are small, so a buffer starts small. */
const FIRST_BYTES = 64 * 1024;

class GrowingBuffer {
  readonly #bytesMax: number;
  #buffer: Buffer;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#buffer = Buffer.alloc(0);
  }

  get isFull(): boolean {
    return this.#length === this.#bytesMax;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Adds the beginning of a chunk. @returns how many of its bytes had room */
  add(chunk: Uint8Array): number {
    const count = Math.min(chunk.length, this.#bytesMax - this.#length);
    this.#reserve(this.#length + count);
    this.#buffer.set(chunk.subarray(0, count), this.#length);
    this.#length += count;
    return count;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const size = Math.min(this.#bytesMax, Math.max(bytes, this.#buffer.length * 4, FIRST_BYTES));
    const larger = Buffer.allocUnsafeSlow(size);
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
