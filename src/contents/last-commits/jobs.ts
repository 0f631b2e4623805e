import { currentCaller } from '../../core/caller.ts';
import { ForgeError } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Database, Tx } from '../../database/database.ts';
import type { RefUpdate, RepositoryId, WriteSession } from '../../git/model.ts';
import { defineJob } from '../../jobs/model.ts';
import type { Jobs } from '../../jobs/service.ts';
import type { CreatedRepository } from '../../repositories/creation/model.ts';
import type { RefsChange } from '../../repositories/pushes.ts';
import type { LastCommits } from './service.ts';

const INDEX = defineJob<{ readonly repositoryId: RepositoryId }>('contents.index-last-commits');

/** Requests the job that indexes a repository. */
export async function requestIndex(
  jobs: Jobs,
  tx: Tx,
  repositoryId: RepositoryId,
  delayMs: number,
): Promise<void> {
  await jobs.enqueue(tx, INDEX, { key: `${repositoryId}`, payload: { repositoryId }, delayMs });
}

/** Indexes large pushes before their refs move, and others shortly afterwards. Until then, a reader walks over them. */
export class LastCommitJobs {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #lastCommits: LastCommits;

  constructor(dependencies: { database: Database; jobs: Jobs; lastCommits: LastCommits }) {
    this.#database = dependencies.database;
    this.#jobs = dependencies.jobs;
    this.#lastCommits = dependencies.lastCommits;
    this.#jobs.register(INDEX, ({ repositoryId }, { signal }) => this.#index(repositoryId, signal), {
      atOnceMax: 1,
    });
  }

  /** A walk over all of a large push would be long. */
  async beforePush(session: WriteSession, updates: readonly RefUpdate[]): Promise<void> {
    if (session.packedObjects <= LIMITS.objectsPushedUnindexedMax) return;
    const { left } = currentCaller();
    const timeUp = AbortSignal.timeout(LIMITS.indexingBeforePushMs);
    const signal = left === undefined ? timeUp : AbortSignal.any([timeUp, left]);
    try {
      while (await this.#lastCommits.indexBefore(session, updates, signal));
    } catch {
      // The push does not need the index. The job that follows indexes the rest and reports what is wrong.
    }
  }

  async afterPush(tx: Tx, { repositoryId, moved }: RefsChange): Promise<void> {
    if (moved.every((update) => update.new === null)) return;
    await requestIndex(this.#jobs, tx, repositoryId, LIMITS.lastCommitDelayMs);
  }

  /** A fork starts with its parent's index, which may lag behind. */
  async afterCreation(tx: Tx, { repositoryId, parentId }: CreatedRepository): Promise<void> {
    if (parentId !== null) await requestIndex(this.#jobs, tx, repositoryId, LIMITS.lastCommitDelayMs);
  }

  /** Indexes one part. The next one waits for its turn behind the jobs of other repositories. */
  async #index(id: RepositoryId, signal: AbortSignal): Promise<void> {
    try {
      const hasMore = await this.#lastCommits.index(id, signal);
      if (hasMore) await this.#database.transaction((tx) => requestIndex(this.#jobs, tx, id, 0));
    } catch (error) {
      if (error instanceof ForgeError && error.failure.kind === 'not_found') return;
      throw error;
    }
  }
}
