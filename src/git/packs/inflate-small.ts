import { inflateSync } from 'node:zlib';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { CHUNK_BYTES_MIN } from '../format/compress.ts';
import { wrongSize } from './large-entry.ts';

/**
 * Inflates a whole object of a pack.
 *
 * @returns its content, and how many bytes of `body` it took; undefined if the object continues after `body`
 * @throws ForgeError `invalid`
 */
export function inflateSmall(body: Buffer, size: number): { content: Buffer; used: number } | undefined {
  const bytesMax = Math.max(1, size);
  try {
    // With room for one byte more, zlib comes to the end in one call.
    const chunkSize = Math.max(CHUNK_BYTES_MIN, bytesMax + 1);
    const options = { info: true, maxOutputLength: bytesMax, chunkSize };
    const { buffer, engine } = inflateSync(body, options) as unknown as Inflated;
    if (buffer.length !== size) throw wrongSize();
    return { content: buffer, used: engine.bytesWritten };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw wrongSize();
    throw invalid('the pack has a broken object', { cause: error });
  }
}

/** The result of `inflateSync` with the option `info`. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
