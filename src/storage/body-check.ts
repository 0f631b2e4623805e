import { createHash } from 'node:crypto';
import { ForgeError, invalid } from '../base/core/failure.ts';
import type { PutOptions } from './model.ts';

/**
 * Passes a body through and fails if it differs from the announced size or digest, or is too large.
 *
 * @throws ForgeError `invalid`, `too_large`
 */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  options: PutOptions,
): AsyncGenerator<Uint8Array, void> {
  const hash = options.sha256 === undefined ? undefined : createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    requireWithin(sizeBytes, options);
    hash?.update(chunk);
    yield chunk;
  }
  if (options.sizeBytes !== undefined && sizeBytes !== options.sizeBytes) {
    throw invalid(`the content has ${sizeBytes} bytes instead of ${options.sizeBytes}`);
  }
  if (hash !== undefined && hash.digest('hex') !== options.sha256) {
    throw invalid('the content has another SHA-256 than announced');
  }
}

function requireWithin(sizeBytes: number, { sizeBytes: announced, bytesMax }: PutOptions): void {
  if (bytesMax !== undefined && sizeBytes > bytesMax) {
    throw new ForgeError({
      kind: 'too_large',
      what: `the content has more than ${bytesMax} bytes`,
    });
  }
  if (announced !== undefined && sizeBytes > announced) {
    throw invalid(`the content has more than ${announced} bytes`);
  }
}
