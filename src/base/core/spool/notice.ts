/** Wakes code that waits for a change. */
export class Notice {
  #next = Promise.withResolvers<void>();

  next(): Promise<void> {
    return this.#next.promise;
  }

  notify(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}
