import { ForgeError } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import { defineJob } from '../../jobs/model.ts';
import type { Jobs } from '../../jobs/service.ts';
import type { RefsChange } from '../../repositories/pushes.ts';
import type { LastCommits } from './service.ts';

const INDEX = defineJob<{ readonly repositoryId: RepositoryId }>('contents.index-last-commits');

/** Indexes new commits shortly after a push. Until then, a reader walks over them. */
export class LastCommitJobs {
  readonly #jobs: Jobs;

  constructor(dependencies: { jobs: Jobs; lastCommits: LastCommits }) {
    const { jobs, lastCommits } = dependencies;
    this.#jobs = jobs;
    jobs.register(INDEX, ({ repositoryId }) => indexUnlessGone(lastCommits, repositoryId), { atOnceMax: 1 });
  }

  async afterPush(tx: Tx, { repositoryId, moved }: RefsChange): Promise<void> {
    if (!moved.some(({ ref, new: tip }) => tip !== null && ref.startsWith('refs/heads/'))) return;
    const delayMs = LIMITS.lastCommitDelayMs;
    await this.#jobs.enqueue(tx, INDEX, { key: `${repositoryId}`, payload: { repositoryId }, delayMs });
  }
}

async function indexUnlessGone(lastCommits: LastCommits, id: RepositoryId): Promise<void> {
  try {
    await lastCommits.index(id);
  } catch (error) {
    if (error instanceof ForgeError && error.failure.kind === 'not_found') return;
    throw error;
  }
}
