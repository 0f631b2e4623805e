/** Bytes that are not what their format says. */
export class MalformedKeyError extends Error {
  override readonly name = 'MalformedKeyError';
}

/**
 * Reads SSH's binary form: numbers and strings with their lengths. Never reads beyond the end.
 *
 * @see RFC 4251, section 5
 */
export class SshReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** @throws MalformedKeyError if fewer bytes are left */
  take(count: number): Buffer {
    const end = this.#position + count;
    if (end > this.#bytes.length) throw new MalformedKeyError('it ends too early');
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.uint32());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /**
   * Reads a positive number in its only form, without leading zeros.
   *
   * @returns its bytes, without a sign
   */
  positive(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    if (bytes.length === 0 || first >= 0x80) throw new MalformedKeyError('a number is not positive');
    if (first !== 0) return bytes;
    if (bytes.length === 1 || second < 0x80) throw new MalformedKeyError('a number has leading zeros');
    return bytes.subarray(1);
  }

  /** @throws MalformedKeyError if bytes are left */
  end(): void {
    if (this.#position !== this.#bytes.length) throw new MalformedKeyError('it has extra bytes at the end');
  }
}

/** Encodes a string with its length. */
export function sshString(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes as Uint8Array);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
