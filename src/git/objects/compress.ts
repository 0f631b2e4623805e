import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';

const deflateAsync = promisify(deflate);

/** Compressing less than this takes less time than passing the work to another thread. */
const SYNC_BYTES_MAX = 16 * 1024;

/** Compresses content that is in memory as git stores it. */
export async function compress(content: Uint8Array): Promise<Buffer> {
  return content.length <= SYNC_BYTES_MAX ? deflateSync(content) : deflateAsync(content);
}
