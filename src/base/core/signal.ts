/** Something that lower layers report to higher ones. `app/subscriptions.ts` has the listeners of every signal. */
export class Signal<Arguments extends readonly unknown[]> {
  readonly #listeners: ((...args: Arguments) => Promise<void>)[] = [];

  subscribe(...listeners: readonly ((...args: Arguments) => Promise<void>)[]): void {
    this.#listeners.push(...listeners);
  }

  /**
   * Calls the listeners one after the other, in the order in which they subscribed.
   *
   * @throws what a listener throws; later listeners are then not called. In a transaction, that undoes the change
   */
  async notify(...args: Arguments): Promise<void> {
    for (const listener of this.#listeners) await listener(...args);
  }
}
