import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../base/database/database.ts';
import { onRestedHint } from '../../base/database/rested-hints.ts';
import { EVENT_LIMITS } from '../../base/events/limits.ts';
import { EVENT_FEED_LIMITS } from './limits.ts';

interface Waiter {
  /** of the caller */
  readonly share: string;
  readonly wake: () => void;
}

/**
 * Requests that wait for new events. Few of them look for events at a time, and callers take turns, so that neither many
 * requests nor many requests of one caller delay others.
 */
export class EventWaiters {
  readonly #database: Database;
  readonly #waiting = new Set<Waiter>();
  #version = 0;
  #isWaking = false;
  #isStopped = false;
  #unsubscribe: (() => void) | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns a number that changes with each hint. Call it before reading events, and then wait with it. */
  watch(): number {
    this.#listen();
    return this.#version;
  }

  /** Requests no longer wait, because the server stops. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Wakes all requests that wait, so that they end. */
  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    for (const { wake } of this.#waiting) wake();
  }

  /**
   * Waits for new events, at most `ms`, and at most until a hint may have been missed.
   *
   * @param since the version before the caller has read events
   * @throws the reason of the signal
   */
  async changed(
    since: number,
    wait: { share: string; ms: number; signal: AbortSignal | undefined },
  ): Promise<void> {
    const { share, ms, signal } = wait;
    signal?.throwIfAborted();
    if (since !== this.#version || this.#isStopped || ms <= 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { share, wake: resolve };
    const timer = setTimeout(resolve, Math.min(ms, EVENT_LIMITS.hintsMissedMs)).unref();
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(waiter);
    }
  }

  #listen(): void {
    if (this.#isStopped) return;
    this.#unsubscribe ??= onRestedHint(this.#database, 'events', () => {
      this.#version += 1;
      void this.#wakeAll();
    });
  }

  async #wakeAll(): Promise<void> {
    if (this.#isWaking) return;
    this.#isWaking = true;
    let version: number;
    do {
      version = this.#version;
      const waiters = inTurns([...this.#waiting]);
      for (let from = 0; from < waiters.length; from += EVENT_FEED_LIMITS.wokenAtOnceMax) {
        for (const { wake } of waiters.slice(from, from + EVENT_FEED_LIMITS.wokenAtOnceMax)) wake();
        await nextTurn();
      }
    } while (version !== this.#version);
    this.#isWaking = false;
  }
}

/** Orders requests so that the first ones of all callers come before the second ones. */
export function inTurns<Item extends { readonly share: string }>(items: readonly Item[]): readonly Item[] {
  const queues = [...Map.groupBy(items, ({ share }) => share).values()];
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    queues.flatMap((queue) => queue.slice(turn, turn + 1)),
  ).flat();
}
