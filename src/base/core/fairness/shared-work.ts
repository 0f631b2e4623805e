import { currentCaller, runForServer } from './caller.ts';
import { unlessAborted } from './unless-aborted.ts';

interface Running<T> {
  readonly result: Promise<T>;
  readonly ending: AbortController;
  callers: number;
}

/** Runs equal work once for all callers that request it at the same time. It ends early when the last caller leaves. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /** pieces of work that run */
  get size(): number {
    return this.#running.size;
  }

  /**
   * Starts the work, or joins equal work that is running.
   *
   * @param key equal for equal work
   * @throws the errors of the work; the reason of `left` when the caller leaves
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { left } = currentCaller();
    left?.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, work);
    running.callers += 1;
    try {
      return await unlessAborted(running.result, left);
    } finally {
      running.callers -= 1;
      if (running.callers === 0) this.#end(key, running);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const ending = new AbortController();
    const running = { result: runForServer(() => work(ending.signal)), ending, callers: 0 };
    this.#running.set(key, running);
    return running;
  }

  #end(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.ending.abort(new Error('all callers have left'));
  }
}
