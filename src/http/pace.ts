import { ForgeError } from '../core/failure.ts';

export interface PaceOptions {
  /** how long the server waits for the client in all, while it moves nothing */
  readonly patienceMs: number;
  /** at this rate, the patience lasts for any number of bytes */
  readonly bytesPerSecondMin: number;
}

/**
 * Requires a client to keep up a minimum rate. Only time in which the server waits for the client counts. A client starts
 * with all of the patience, and each byte that it moves restores some.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #onTooSlow: () => void;
  #leftMs: number;

  /** @param onTooSlow called when the patience is used up */
  constructor(options: PaceOptions, onTooSlow: () => void) {
    this.#options = options;
    this.#onTooSlow = onTooSlow;
    this.#leftMs = options.patienceMs;
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
    const { patienceMs, bytesPerSecondMin } = this.#options;
    this.#leftMs = Math.min(patienceMs, this.#leftMs + (bytes / bytesPerSecondMin) * 1000);
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
