import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { Repositories } from '../repositories/service.ts';
import { Maintenance, pruneEvents } from './jobs.ts';
import { MAINTENANCE_LIMITS } from './limits.ts';
import { Purges } from './purges.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'upkeep'>;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly objectLinks: ObjectLinks;
  readonly repositories: Repositories;
}

/** Composes the maintenance of repositories, storage and events. */
export function createMaintenance(dependencies: Dependencies) {
  const { database, git, jobs, objects, repositories } = dependencies;
  const maintenance = new Maintenance(dependencies);
  jobs.schedule('storage.sweep', STORAGE_LIMITS.sweepEveryMs, async () => {
    await repositories.creation.sweepAbandoned(MAINTENANCE_LIMITS.sweepGraceMs);
    await git.upkeep.sweep(MAINTENANCE_LIMITS.sweepGraceMs);
    await objects.removeAbandoned(STORAGE_LIMITS.incomingObjectMs);
  });
  jobs.schedule('events.prune', MAINTENANCE_LIMITS.eventsPruneEveryMs, () => pruneEvents(database));
  return { services: { maintenance, purges: new Purges(dependencies) } };
}
