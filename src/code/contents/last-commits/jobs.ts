import { isFailure } from '../../../base/core/failure.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import type { CreatedRepository } from '../../../hosting/repositories/creation/model.ts';
import type { Moving, RefsChange } from '../../../hosting/repositories/refs/pushes.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
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

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly lastCommits: LastCommits;
}

/** Indexes pushes: large ones at once, and others shortly afterwards. Until then, a reader walks over a few commits. */
export class LastCommitJobs {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#use.jobs.register(INDEX, ({ repositoryId }, { signal }) => this.#index(repositoryId, signal), {
      atOnceMax: 1,
    });
  }

  /** Readers of a large push wait for its index, so it does not wait for more pushes. */
  async beforePush(session: WriteSession, { later }: Moving): Promise<void> {
    if (session.packedObjects <= CONTENTS_LIMITS.lastCommitStepsUnindexed) return;
    later((tx, { repositoryId }) => requestIndex(this.#use.jobs, tx, repositoryId, 0));
  }

  async afterPush(tx: Tx, { repositoryId, moved }: RefsChange): Promise<void> {
    if (moved.every((update) => update.new === null)) return;
    await requestIndex(this.#use.jobs, tx, repositoryId, CONTENTS_LIMITS.lastCommitDelayMs);
  }

  /** A fork starts with its parent's index, which may lag behind. */
  async afterCreation(tx: Tx, { repositoryId, parentId }: CreatedRepository): Promise<void> {
    if (parentId !== null)
      await requestIndex(this.#use.jobs, tx, repositoryId, CONTENTS_LIMITS.lastCommitDelayMs);
  }

  /** Indexes one part. The next one waits for its turn behind the jobs of other repositories. */
  async #index(id: RepositoryId, signal: AbortSignal): Promise<void> {
    try {
      const hasMore = await this.#use.lastCommits.index(id, signal);
      if (hasMore) await this.#use.database.transaction((tx) => requestIndex(this.#use.jobs, tx, id, 0));
    } catch (error) {
      if (isFailure(error, 'not_found')) return;
      throw error;
    }
  }
}
