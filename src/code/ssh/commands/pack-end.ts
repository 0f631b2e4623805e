import { createHash } from 'node:crypto';
import type { ObjectFormat } from '../../../git/format/model.ts';
import { SSH_LIMITS } from '../limits.ts';

const CHECKSUM_BYTES = { sha1: 20, sha256: 32 } as const satisfies Record<ObjectFormat, number>;

/**
 * Yields a pack up to its end. A pack ends with the checksum of all its bytes. Some clients wait for the report without
 * ending what they send, so when no more bytes arrive for a while, the checksum decides.
 *
 * @param sent the pack, and what follows it
 * @see gitformat-pack(5)
 */
export async function* untilPackEnd(
  sent: AsyncIterable<Buffer>,
  format: ObjectFormat,
): AsyncGenerator<Buffer> {
  const iterator = sent[Symbol.asyncIterator]();
  const hash = createHash(format);
  let last: Buffer = Buffer.alloc(0);
  for (let next = iterator.next(); ; next = iterator.next()) {
    if (last.length === CHECKSUM_BYTES[format] && (await isLate(next)) && hash.copy().digest().equals(last)) {
      next.catch(() => {});
      return;
    }
    const { value, done } = await next;
    if (done === true) return;
    const bytes = Buffer.concat([last, value.subarray(-CHECKSUM_BYTES[format])]);
    last = addTo(hash, { last, value, bytes }, CHECKSUM_BYTES[format]);
    yield value;
  }
}

/** Adds to the hash everything but the last bytes, which it returns. */
function addTo(
  hash: { update(bytes: Uint8Array): unknown },
  { last, value, bytes }: { last: Buffer; value: Buffer; bytes: Buffer },
  count: number,
): Buffer {
  if (value.length >= count) {
    hash.update(last);
    hash.update(value.subarray(0, value.length - count));
    return Buffer.from(value.subarray(value.length - count));
  }
  const surplus = Math.max(0, bytes.length - count);
  hash.update(bytes.subarray(0, surplus));
  return bytes.subarray(surplus);
}

/** Whether a promise is still open after a moment. */
async function isLate(promise: Promise<unknown>): Promise<boolean> {
  const { promise: moment, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, SSH_LIMITS.packEndMs, true);
  const settled = promise.then(
    () => false,
    () => false,
  );
  const late = await Promise.race([moment, settled]);
  clearTimeout(timer);
  return late;
}
