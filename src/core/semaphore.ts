import { ForgeError } from './failure.ts';

interface Waiter {
  readonly enter: () => void;
}

/** Has `atOnceMax` slots for concurrent work and a queue of `queueMax`. Rejects work when both are full. */
export class Semaphore {
  readonly #what: string;
  readonly #atOnceMax: number;
  readonly #queueMax: number;
  readonly #waiting: Waiter[] = [];
  #running = 0;

  constructor(options: { what: string; atOnceMax: number; queueMax: number }) {
    this.#what = options.what;
    this.#atOnceMax = options.atOnceMax;
    this.#queueMax = options.queueMax;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Waits for a slot and takes it.
   *
   * @returns a function that frees the slot; calling it again does nothing
   * @throws ForgeError `busy` when the queue is full; the reason of `signal` when it fires first
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#running < this.#atOnceMax) this.#running += 1;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#leave();
    };
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #wait(signal?: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#queueMax) {
      throw new ForgeError({ kind: 'busy', what: `too many ${this.#what} at once`, retryAfterSeconds: 5 });
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { enter: resolve };
      this.#waiting.push(waiter);
      signal?.addEventListener(
        'abort',
        () => {
          const position = this.#waiting.indexOf(waiter);
          if (position === -1) return;
          this.#waiting.splice(position, 1);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  #leave(): void {
    // The slot passes to the next waiter without being free in between.
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next.enter();
  }
}
