/**
 * Runs work at once when it is asked for, and then at most once for all requests of each rest. So a burst of changes
 * costs its followers one run, and a single change does not wait.
 */
export class Rested {
  readonly #restMs: number;
  readonly #work: () => void;
  #rest: NodeJS.Timeout | undefined;
  #isAsked = false;

  constructor(restMs: number, work: () => void) {
    this.#restMs = restMs;
    this.#work = work;
  }

  ask(): void {
    this.#isAsked = true;
    if (this.#rest === undefined) this.#run();
  }

  end(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
  }

  #run(): void {
    this.#rest = undefined;
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.#rest = setTimeout(() => this.#run(), this.#restMs).unref();
    this.#work();
  }
}
