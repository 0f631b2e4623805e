import { base64Lines, decodeBase64 } from '../../../base/core/text/base64.ts';
import { KEY_LIMITS } from '../limits.ts';

/**
 * Decodes text with armor of one kind: header lines, base64, perhaps a checksum. Leaves the checksum unread, because what it
 * protects is verified anyway.
 *
 * @param kind as in the first line: `PGP SIGNATURE`
 * @returns undefined for any other text
 * @see RFC 9580, section 6.2
 */
export function decodeArmor(text: string, kind: string): Buffer | undefined {
  if (text.length > KEY_LIMITS.signatureCharsMax) return undefined;
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  if (lines[0] !== `-----BEGIN ${kind}-----` || lines.at(-1) !== `-----END ${kind}-----`) return undefined;
  const blank = lines.indexOf('');
  const headers = blank === -1 ? [] : lines.slice(1, blank);
  if (!headers.every((line) => /^[A-Za-z]+: /.test(line))) return undefined;
  const body = lines.slice(blank === -1 ? 1 : blank + 1, -1);
  if (/^=[A-Za-z0-9+/]{4}$/.test(body.at(-1) ?? '')) body.pop();
  return decodeBase64(body.join(''));
}

const LINE_CHARS = 64;

/**
 * Encodes bytes with armor. It has a checksum, without which GnuPG 2.2 reads the last line as content.
 *
 * @param kind as in the first line: `PGP PUBLIC KEY BLOCK`
 * @see RFC 9580, section 6.1 and 6.2
 */
export function encodeArmor(bytes: Buffer, kind: string): string {
  const lines = base64Lines(bytes, LINE_CHARS);
  const end = [`=${checksum(bytes).toString('base64')}`, `-----END ${kind}-----`, ''];
  return [`-----BEGIN ${kind}-----`, '', ...lines, ...end].join('\n');
}

const CHECKSUM_START = 0xb704ce;
const CHECKSUM_POLYNOMIAL = 0x864cfb;

/** @see RFC 9580, section 6.1.1 */
function checksum(bytes: Buffer): Buffer {
  let sum = CHECKSUM_START;
  for (const byte of bytes) {
    sum ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1)
      sum = (sum << 1) ^ (sum & 0x800000 ? 0x1000000 | CHECKSUM_POLYNOMIAL : 0);
  }
  const encoded = Buffer.alloc(3);
  encoded.writeUIntBE(sum, 0, 3);
  return encoded;
}
