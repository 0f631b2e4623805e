/** Bytes that are not what their format says. */
export class MalformedKeyError extends Error {
  override readonly name = 'MalformedKeyError';
}

/** Reads bytes from front to back, and never beyond the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** @throws MalformedKeyError if fewer bytes are left */
  take(count: number): Buffer {
    const end = this.#position + count;
    if (end > this.#bytes.length) throw new MalformedKeyError('it ends too early');
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  number(byteCount: 1 | 2 | 4): number {
    return this.take(byteCount).readUIntBE(0, byteCount);
  }
}
