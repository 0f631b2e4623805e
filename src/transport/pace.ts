import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';

/**
 * Requires a client to keep up a minimum rate. Only time in which the server waits for the client counts. A client starts
 * with all of the patience, and each byte that it moves restores some.
 */
export class Pace {
  readonly #patienceMs: number;
  readonly #onTooSlow: () => void;
  #leftMs: number;

  /** @param onTooSlow called when the patience is used up */
  constructor(patienceMs: number, onTooSlow: () => void) {
    this.#patienceMs = patienceMs;
    this.#onTooSlow = onTooSlow;
    this.#leftMs = patienceMs;
  }

  /** Starts to wait for the client. Returns a function that ends the wait. */
  wait(): () => void {
    const startedAt = performance.now();
    const timer = setTimeout(this.#onTooSlow, this.#leftMs).unref();
    return () => {
      clearTimeout(timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
    };
  }

  /** Counts bytes that the client has sent or taken. */
  moved(bytes: number): void {
    const earnedMs = (bytes / LIMITS.transferBytesPerSecondMin) * 1000;
    this.#leftMs = Math.min(this.#patienceMs, this.#leftMs + earnedMs);
  }
}

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
