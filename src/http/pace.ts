import { ForgeError } from '../base/core/failure.ts';
import type { Pace } from '../base/core/fairness/pace.ts';

/** Yields what a client sends. At an early end, it leaves the source open, because the response uses its connection. */
export async function* sentAtPace(pace: Pace, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await next(iterator).finally(pace.wait());
    if (done === true) return;
    pace.moved(value.length);
    yield value;
  }
}

async function next(iterator: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await iterator.next();
  } catch (cause) {
    throw new ForgeError({ kind: 'bad_request', what: 'the request ends too early' }, { cause });
  }
}

/** Yields what a client is to take. */
export async function* takenAtPace(pace: Pace, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const stopWaiting = pace.wait();
    try {
      yield chunk;
    } finally {
      stopWaiting();
    }
    pace.moved(chunk.length);
  }
}
