import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { defineJob } from '../jobs/model.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { Languages } from './service.ts';

const MEASURE = defineJob<{ readonly repositoryId: RepositoryId }>('languages.measure');

/** Measures what was pushed, a little later. */
export function registerLanguages(dependencies: {
  jobs: Jobs;
  pushes: Pushes;
  repositories: Repositories;
  languages: Languages;
}): void {
  const { jobs, pushes, repositories, languages } = dependencies;
  pushes.onRefsChanged(async (tx, { repositoryId, moved }) => {
    if (moved.some(({ ref }) => ref.startsWith('refs/heads/'))) await wantMeasured(jobs, tx, repositoryId);
  });
  repositories.onCreated(async (tx, { repositoryId, parentId }) => {
    if (parentId === null) return;
    await languages.inherit(tx, repositoryId);
    await wantMeasured(jobs, tx, repositoryId);
  });
  repositories.settings.onDefaultBranchChanged((tx, id) => wantMeasured(jobs, tx, id));
  jobs.register(
    MEASURE,
    ({ repositoryId }, { signal }) => measureUnlessGone(languages, repositoryId, signal),
    {
      atOnceMax: 1,
    },
  );
}

function wantMeasured(jobs: Jobs, tx: Tx, repositoryId: RepositoryId): Promise<void> {
  const delayMs = LIMITS.languagesDelayMs;
  return jobs.enqueue(tx, MEASURE, { key: `${repositoryId}`, payload: { repositoryId }, delayMs });
}

async function measureUnlessGone(languages: Languages, id: RepositoryId, signal: AbortSignal): Promise<void> {
  try {
    await languages.measure(id, signal);
  } catch (error) {
    if (error instanceof ForgeError && error.failure.kind === 'not_found') return;
    throw error;
  }
}
