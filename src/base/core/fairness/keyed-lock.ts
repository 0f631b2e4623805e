/** Runs one task at a time for each key, in order of arrival. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const mine = before.then(() => done);
    this.#last.set(key, mine);
    await before;
    try {
      return await work();
    } finally {
      release();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
