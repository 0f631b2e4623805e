import type { Clock } from './clock.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly step: () => Promise<number>;
}

/** Repeats a step until stopped: at once after `wake`, otherwise after the time that the step returns. */
export class Loop {
  readonly #use: Dependencies;
  #woken = new AbortController();
  #running: Promise<void> | null = null;
  #isStopping = false;

  /** @param options.step handles its own failures and returns ms until its next run */
  constructor(options: Dependencies) {
    this.#use = options;
  }

  /** Does nothing if the loop is running already. A stopped loop does not start again. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Starts the next step at once, or right after the current one. */
  wake(): void {
    this.#woken.abort();
  }

  /** Waits for the current step to end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#woken = new AbortController();
      const waitMs = await this.#use.step();
      if (!this.#isStopping) await this.#use.clock.wait(waitMs, this.#woken.signal);
    }
  }
}
