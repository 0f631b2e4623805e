import type { RepositoryId } from '../interface/snapshot.ts';

interface Waiter {
  readonly isExclusive: boolean;
  enter(): void;
}

interface Held {
  /** number of shared holders; -1: one exclusive holder */
  holders: number;
  readonly waiting: Waiter[];
}

/**
 * A shared or exclusive lock for each repository in this process. Waiters queue in order of arrival, so that a steady
 * stream of pushes cannot keep out a maintenance job.
 */
export class RepositoryLocks {
  readonly #held = new Map<RepositoryId, Held>();

  async together<T>(id: RepositoryId, work: () => Promise<T>): Promise<T> {
    return this.#run(id, false, work);
  }

  async alone<T>(id: RepositoryId, work: () => Promise<T>): Promise<T> {
    return this.#run(id, true, work);
  }

  async #run<T>(id: RepositoryId, isExclusive: boolean, work: () => Promise<T>): Promise<T> {
    await this.#enter(id, isExclusive);
    try {
      return await work();
    } finally {
      this.#leave(id);
    }
  }

  async #enter(id: RepositoryId, isExclusive: boolean): Promise<void> {
    const held = this.#held.get(id) ?? { holders: 0, waiting: [] };
    this.#held.set(id, held);
    if (held.waiting.length === 0 && canEnter(held, isExclusive)) take(held, isExclusive);
    else await new Promise<void>((enter) => held.waiting.push({ isExclusive, enter }));
  }

  #leave(id: RepositoryId): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    held.holders = held.holders === -1 ? 0 : held.holders - 1;
    for (let next = held.waiting[0]; next !== undefined && canEnter(held, next.isExclusive); ) {
      held.waiting.shift();
      take(held, next.isExclusive);
      next.enter();
      next = held.waiting[0];
    }
    if (held.holders === 0) this.#held.delete(id);
  }
}

function canEnter(held: Held, isExclusive: boolean): boolean {
  return isExclusive ? held.holders === 0 : held.holders >= 0;
}

function take(held: Held, isExclusive: boolean): void {
  held.holders = isExclusive ? -1 : held.holders + 1;
}
