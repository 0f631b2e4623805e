import { ByteReader, MalformedKeyError } from '../byte-reader.ts';
import { significantBytes } from '../numbers.ts';

/**
 * Reads SSH's binary form: numbers and strings with their lengths.
 *
 * @see RFC 4251, section 5
 */
export class SshReader extends ByteReader {
  string(): Buffer {
    return this.take(this.number(4));
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
    if (!this.isAtEnd) throw new MalformedKeyError('it has extra bytes at the end');
  }
}

/** Encodes a positive number, whose first bit must not be set. */
export function sshNumber(bytes: Uint8Array): Buffer {
  const number = significantBytes(bytes);
  return sshString((number[0] ?? 0) < 0x80 ? number : Buffer.concat([Buffer.of(0), number]));
}

/** Encodes a string with its length. */
export function sshString(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes as Uint8Array);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
