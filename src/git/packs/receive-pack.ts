import { ForgeError, invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Received } from '../../core/spool/received.ts';

/**
 * Receives a pack. Reads it to its end even if it is rejected: when a connection closes early, the client's git reports
 * a broken pipe and does not read the response.
 *
 * @throws ForgeError `invalid`, `too_large`, `busy`
 */
export async function receivePack(
  received: Received,
  pack: AsyncIterable<Buffer>,
  options: { bytesMax: number },
): Promise<void> {
  const rest = new RejectedRest();
  let rejection: unknown;
  try {
    for await (const chunk of pack) {
      if (rejection === undefined) rejection = await rejectionOf(received, chunk, options);
      else if (rest.isTooMuch(chunk)) break;
    }
  } catch (cause) {
    rejection ??= cause instanceof ForgeError ? cause : invalid('the pack ended early', { cause });
  }
  if (rejection !== undefined) throw rejection;
}

/** Adds a chunk. Returns the reason why it cannot. */
async function rejectionOf(
  received: Received,
  chunk: Buffer,
  { bytesMax }: { bytesMax: number },
): Promise<unknown> {
  if (received.size + chunk.length > bytesMax) {
    return new ForgeError({ kind: 'too_large', what: `the pack is larger than ${bytesMax} bytes` });
  }
  return received.append(chunk).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Bounds the rest of a rejected pack, in bytes and in time. */
class RejectedRest {
  #bytes = 0;
  #endsAt: number | undefined;

  isTooMuch(chunk: Buffer): boolean {
    this.#endsAt ??= Date.now() + LIMITS.rejectedPackMs;
    this.#bytes += chunk.length;
    return this.#bytes > LIMITS.rejectedPackBytesMax || Date.now() > this.#endsAt;
  }
}
