interface PaceOptions {
  /** total time for which the server waits while the other side moves nothing */
  readonly patienceMs: number;
  /** at this rate or above, the patience never runs out */
  readonly bytesPerSecondMin: number;
}

/**
 * Requires a client, or a source, to keep up a minimum rate. Only time in which the server waits for the other side
 * counts. At first all of the patience is left, and each byte that the other side moves restores some.
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

  /** Counts bytes that the client has sent or received. */
  moved(bytes: number): void {
    const { patienceMs, bytesPerSecondMin } = this.#options;
    this.#leftMs = Math.min(patienceMs, this.#leftMs + (bytes / bytesPerSecondMin) * 1000);
  }
}

/** Yields the bytes of a source, and counts the time in which the server waits for them. */
export async function* countedAtPace(pace: Pace, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let stopWaiting = pace.wait();
  try {
    for await (const chunk of source) {
      stopWaiting();
      pace.moved(chunk.length);
      yield chunk;
      stopWaiting = pace.wait();
    }
  } finally {
    stopWaiting();
  }
}
