import { runForServer } from './caller.ts';

/** Runs the same work for each key, one run at a time. Calls that arrive during a run share the next run. */
export class SharedRuns<Key> {
  readonly #work: (key: Key) => Promise<void>;
  readonly #running = new Map<Key, Promise<void>>();
  readonly #next = new Map<Key, Promise<void>>();

  constructor(work: (key: Key) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves at the end of a run that began after this call. */
  run(key: Key): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key);
    const next = this.#next.get(key) ?? this.#follow(key, running);
    this.#next.set(key, next);
    return next;
  }

  async #follow(key: Key, running: Promise<void>): Promise<void> {
    await running.catch(() => {});
    this.#next.delete(key);
    await this.#start(key);
  }

  #start(key: Key): Promise<void> {
    const run = runForServer(() => this.#work(key)).finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }
}
