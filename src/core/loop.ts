import type { Clock } from './clock.ts';

/**
 * Repeats a step until it is stopped: at once when somebody woke it, else after the time that the step asks for.
 */
export class Loop {
  readonly #clock: Clock;
  readonly #step: () => Promise<number>;
  #woken = new AbortController();
  #running: Promise<void> | null = null;
  #isStopping = false;

  /** @param options.step returns ms until it wants to run again; it handles its own failures */
  constructor(options: { clock: Clock; step: () => Promise<number> }) {
    this.#clock = options.clock;
    this.#step = options.step;
  }

  /** Does nothing where it runs already. A stopped loop stays stopped. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Also while a step runs: the next one then follows at once. */
  wake(): void {
    this.#woken.abort();
  }

  /** Returns when the step that runs has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#woken = new AbortController();
      const waitMs = await this.#step();
      if (!this.#isStopping) await this.#clock.wait(waitMs, this.#woken.signal);
    }
  }
}
