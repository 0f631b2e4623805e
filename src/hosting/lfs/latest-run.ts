import { conflict } from '../../base/core/failure.ts';

interface Run {
  readonly stopping: AbortController;
  readonly done: Promise<void>;
}

/**
 * Runs one task at a time for each key. A new task stops the tasks before it and waits for their ends, because their
 * clients have usually lost their connections.
 */
export class LatestRun {
  readonly #runs = new Map<string, Run>();

  /**
   * @param work ends soon after its signal fires
   * @throws ForgeError `conflict` if a newer task stops this one before it begins; any error of `work`
   */
  async run<T>(key: string, work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#runs.get(key);
    before?.stopping.abort(conflict('another request continues this upload'));
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const mine = { stopping, done };
    this.#runs.set(key, mine);
    try {
      await before?.done;
      stopping.signal.throwIfAborted();
      return await work(stopping.signal);
    } finally {
      end();
      if (this.#runs.get(key) === mine) this.#runs.delete(key);
    }
  }
}
