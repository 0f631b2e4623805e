import { setFlagsFromString } from 'node:v8';
import { CORE_LIMITS } from '../limits.ts';

/**
 * Lets V8 collect garbage earlier while this process is large. By default, V8 lets its heap grow to several times the
 * memory in use, which takes less time.
 */
export class HeapGrowth {
  readonly #rss: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isBounded = false;

  /** @param rss resident memory of this process, bytes */
  constructor(rss = () => process.memoryUsage.rss()) {
    this.#rss = rss;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), CORE_LIMITS.heapLookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Checks the size. Returns whether V8 collects earlier from now on. */
  look(): boolean {
    const bytes = this.#rss();
    const isBounded =
      bytes > (this.#isBounded ? CORE_LIMITS.heapBoundToBytes : CORE_LIMITS.heapBoundFromBytes);
    if (isBounded !== this.#isBounded) {
      // Zero means the default of V8.
      setFlagsFromString(`--heap-growing-percent=${isBounded ? CORE_LIMITS.heapGrowthPercentMax : 0}`);
      this.#isBounded = isBounded;
    }
    return isBounded;
  }
}
