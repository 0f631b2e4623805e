import { promisify } from 'node:util';
import { constants, deflate, deflateSync } from 'node:zlib';

const deflateAsync = promisify(deflate);

/** Compressing less than this takes less time than passing the work to another thread. */
const SYNC_BYTES_MAX = 16 * 1024;

/**
 * Levels that git has by default: core.looseCompression and pack.compression in git-config(1). A repack compresses loose
 * objects again, but copies what is in a pack.
 */
const LEVELS = { loose: constants.Z_BEST_SPEED, packed: constants.Z_DEFAULT_COMPRESSION };

/** Compresses content that is in memory as git stores it. */
export async function compress(content: Uint8Array, as: keyof typeof LEVELS): Promise<Buffer> {
  const options = { level: LEVELS[as] };
  return content.length <= SYNC_BYTES_MAX ? deflateSync(content, options) : deflateAsync(content, options);
}

/** Compressing this much makes a file no smaller than the block that it takes on a disk. */
const WRAPPED_BYTES_MAX = 1024;
const ADLER_MODULUS = 65_521;

/**
 * Returns content as a loose file: compressed if it is large, and otherwise in the same format without compression,
 * because preparing a compression costs far more than copying.
 *
 * @see RFC 1950 and RFC 1951, "Non-compressed blocks"
 */
export async function compressUnlessSmall(content: Uint8Array): Promise<Buffer> {
  if (content.length > WRAPPED_BYTES_MAX) return compress(content, 'loose');
  const wrapped = Buffer.allocUnsafe(content.length + 11);
  // A window of 32 KiB and the fastest level; then one last block that is stored.
  wrapped.writeUInt16BE(0x7801, 0);
  wrapped.writeUInt8(1, 2);
  wrapped.writeUInt16LE(content.length, 3);
  wrapped.writeUInt16LE(content.length ^ 0xffff, 5);
  wrapped.set(content, 7);
  wrapped.writeUInt32BE(adler32(content), content.length + 7);
  return wrapped;
}

/** Returns the checksum of at most 5,552 bytes, whose sums need no reduction in between. */
function adler32(content: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of content) {
    low += byte;
    high += low;
  }
  return (high % ADLER_MODULUS) * 0x10000 + (low % ADLER_MODULUS);
}
