import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestForge } from '../../support/forge/forge.ts';

/** Gets a page as it comes, without the decompression of `fetch`. */
export function sendRaw(
  forge: TestForge,
  path: string,
  acceptEncoding?: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
  return new Promise((resolve, reject) => {
    get(`${forge.url}${path}`, { headers }, async (response) => {
      resolve({ headers: response.headers, bytes: await buffer(response) });
    }).on('error', reject);
  });
}
