import { runOutsideRequest } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { nextWithFresh } from './store.ts';

type Needs = Pick<Engine, 'database' | 'fresh' | 'log' | 'ownsFolder' | 'moveFreshToFiles'>;

/**
 * Moves fresh objects to files, a moment after they were written. A command beside a server leaves this to the
 * server.
 */
export class PlannedMoves {
  readonly #engine: Needs;
  readonly #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  /** @param waitMs time from a plan to its run */
  constructor(engine: Needs, waitMs: number) {
    this.#engine = engine;
    this.#waitMs = waitMs;
  }

  /** Plans a run, unless a run is planned already. */
  plan(): void {
    if (!this.#engine.ownsFolder) return;
    this.#timer ??= runOutsideRequest(() => setTimeout(() => void this.#runAgain(), this.#waitMs).unref());
  }

  /** Waits for the current run, which may already have passed the repository, and runs again. */
  async #runAgain(): Promise<void> {
    this.#timer = undefined;
    await this.#running;
    await this.run();
  }

  /**
   * Moves the objects of all repositories, one repository after the other. A failure is logged; the next run tries
   * again.
   */
  run(): Promise<void> {
    this.#running ??= this.#moveAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #moveAll(): Promise<void> {
    const { database, fresh, ownsFolder } = this.#engine;
    if (!ownsFolder) return;
    try {
      const next = (after: number) => nextWithFresh(database.reader, after);
      for (let id = await next(0); id !== undefined; id = await next(id)) await this.#move(id);
      // Their rows may have been deleted with their repositories.
      for (const id of fresh.waiting()) await this.#move(id);
    } catch (error) {
      this.#tryLater(error);
    }
  }

  /**
   * Catches errors, because the objects of one repository must not wait if those of another repository cannot be
   * written.
   */
  async #move(id: RepositoryId): Promise<void> {
    try {
      await this.#engine.moveFreshToFiles(id);
    } catch (error) {
      this.#tryLater(error, id);
    }
  }

  #tryLater(error: unknown, id?: RepositoryId): void {
    this.#engine.log.warn({ repository: id, error: `${error}` }, 'cannot write new objects to files yet');
    this.plan();
  }

  /** Moves everything for the last time. */
  async close(): Promise<void> {
    await this.#running;
    await this.run();
    clearTimeout(this.#timer);
  }
}
