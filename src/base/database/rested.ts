/**
 * Runs work at once when it is requested, and then at most once in each rest. So a single change does not wait, and a
 * burst of changes causes only one more run.
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
