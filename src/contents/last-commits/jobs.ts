import { ForgeError } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { RepositoryId } from '../../git/model.ts';
import { defineJob } from '../../jobs/model.ts';
import type { Jobs } from '../../jobs/service.ts';
import type { Pushes } from '../../repositories/pushes.ts';
import type { LastCommits } from './service.ts';

const INDEX = defineJob<{ readonly repositoryId: RepositoryId }>('contents.index-last-commits');

/** Indexes what was pushed, a little later; until then a reader walks over the few commits that are new. */
export function registerLastCommits(dependencies: {
  jobs: Jobs;
  pushes: Pushes;
  lastCommits: LastCommits;
}): void {
  const { jobs, pushes, lastCommits } = dependencies;
  pushes.onRefsChanged(async (tx, { repositoryId, moved }) => {
    if (!moved.some(({ ref, new: tip }) => tip !== null && ref.startsWith('refs/heads/'))) return;
    const delayMs = LIMITS.lastCommitDelayMs;
    await jobs.enqueue(tx, INDEX, { key: `${repositoryId}`, payload: { repositoryId }, delayMs });
  });
  jobs.register(INDEX, ({ repositoryId }) => indexUnlessGone(lastCommits, repositoryId), { atOnceMax: 1 });
}

async function indexUnlessGone(lastCommits: LastCommits, id: RepositoryId): Promise<void> {
  try {
    await lastCommits.index(id);
  } catch (error) {
    if (error instanceof ForgeError && error.failure.kind === 'not_found') return;
    throw error;
  }
}
