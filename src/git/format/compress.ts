import { promisify } from 'node:util';
import { constants, deflate, deflateSync, type ZlibOptions } from 'node:zlib';

const deflateAsync = promisify(deflate);

/** Compressing less than this takes less time than passing the work to another thread. */
const SYNC_BYTES_MAX = 16 * 1024;

/**
 * Levels that git has by default: core.looseCompression and pack.compression in git-config(1). A repack compresses loose
 * objects again, but copies what is in a pack.
 */
const LEVELS = { loose: constants.Z_BEST_SPEED, packed: constants.Z_DEFAULT_COMPRESSION };

/** The least and the most that zlib accepts as the base-2 logarithm of its window. */
const WINDOW_BITS = { min: 9, max: 15 };
/** With a memory level this much below its window, text and trees became as short as with the highest one. */
const BITS_ABOVE_MEMORY_LEVEL = 6;
const MEMORY_LEVEL_MAX = 8;
/** The least that Node accepts as the size of a buffer for results. */
export const CHUNK_BYTES_MIN = 64;
const CHUNK_BYTES_MAX = 64 * 1024;

/** Returns the most bytes that content of this size takes when it is compressed: zlib never makes it much longer. */
export function compressedBytesMax(size: number): number {
  return size + (size >> 9) + 64;
}

/** Compresses content that is in memory as git stores it. */
export async function compress(content: Uint8Array, as: keyof typeof LEVELS): Promise<Buffer> {
  const options = { level: LEVELS[as], ...memoryFor(content.length) };
  return content.length <= SYNC_BYTES_MAX ? deflateSync(content, options) : deflateAsync(content, options);
}

/**
 * Without these options, zlib prepares 256 KiB for each object, and each result keeps a buffer of 16 KiB until the next
 * collection of garbage.
 *
 * @see zlib.h, `deflateInit2`
 */
function memoryFor(size: number): ZlibOptions {
  const windowBits = Math.min(WINDOW_BITS.max, Math.max(WINDOW_BITS.min, Math.ceil(Math.log2(size))));
  return {
    windowBits,
    memLevel: Math.min(MEMORY_LEVEL_MAX, windowBits - BITS_ABOVE_MEMORY_LEVEL),
    chunkSize: Math.min(CHUNK_BYTES_MAX, compressedBytesMax(size)),
  };
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
