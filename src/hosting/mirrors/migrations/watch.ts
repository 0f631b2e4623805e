import { SharedRuns } from '../../../base/core/fairness/shared-runs.ts';
import type { Database } from '../../../base/database/database.ts';
import { onRestedHint } from '../../../base/database/rested-hints.ts';
import { EVENT_LIMITS } from '../../../base/events/limits.ts';
import type { MigrationStatus } from './model.ts';
import { listStatuses } from './store.ts';

/** @param standing undefined: the record is gone */
type Listener = (status: MigrationStatus | undefined) => void;

/**
 * Follows migrations, which any process may run or cancel. All followers share one statement for each hint, and one for
 * each interval in which a hint may have been missed.
 */
export class MigrationWatch {
  readonly #database: Database;
  readonly #listeners = new Map<Listener, number>();
  readonly #looks = new SharedRuns<'all'>(() => this.#look());
  #stop: (() => void) | undefined;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /**
   * Calls a listener soon with the status of a migration, and again after each change.
   *
   * @returns a function that ends this
   */
  follow(id: number, listener: Listener): () => void {
    this.#listeners.set(listener, id);
    this.#stop ??= this.#start();
    this.#ask();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #start(): () => void {
    const deafen = onRestedHint(this.#database, 'migrations', () => this.#ask());
    const timer = setInterval(() => this.#ask(), EVENT_LIMITS.hintsMissedMs).unref();
    return () => {
      deafen();
      clearInterval(timer);
    };
  }

  /** If a check fails, the timer repeats it. */
  #ask(): void {
    this.#looks.run('all').catch(() => {});
  }

  async #look(): Promise<void> {
    const asked = [...this.#listeners];
    if (asked.length === 0) return;
    const ids = [...new Set(asked.map(([, id]) => id))];
    const found = await listStatuses(this.#database.reader, ids);
    const statuses = new Map(found.map((status) => [status.id, status]));
    for (const [listener, id] of asked) if (this.#listeners.has(listener)) listener(statuses.get(id));
  }
}
