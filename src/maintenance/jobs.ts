import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, Tx } from '../database/database.ts';
import { deleteOldEvents } from '../events/store.ts';
import type { GitStorage, RepositoryId } from '../git/model.ts';
import { defineJob, type JobKind } from '../jobs/model.ts';
import type { Jobs } from '../jobs/service.ts';
import { keepSizeBytes } from '../repositories/derived.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';

interface OfRepository {
  readonly repositoryId: RepositoryId;
}

const MEASURE = defineJob<OfRepository>('repository.measure');
const COMMIT_GRAPH = defineJob<OfRepository>('repository.commit-graph');
const REPACK = defineJob<OfRepository>('repository.repack');
const PRUNE = defineJob<OfRepository>('repository.prune');

type Upkept = Parameters<GitStorage['maintain']>[1];

interface Dependencies {
  readonly database: Database;
  readonly git: GitStorage;
  readonly jobs: Jobs;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
}

/** Puts the maintenance of repositories and of what lies around them into the jobs. */
export function registerMaintenance(dependencies: Dependencies): void {
  const maintenance = new Maintenance(dependencies);
  const { database, git, jobs, pushes, repositories } = dependencies;
  pushes.onRefsChanged((tx, { repositoryId }) => maintenance.afterPush(tx, repositoryId));
  // A fork has what was linked for it, as if it had been pushed.
  repositories.onCreated(async (tx, { repositoryId, parentId }) => {
    if (parentId !== null) await maintenance.afterPush(tx, repositoryId);
  });
  jobs.register(MEASURE, ({ repositoryId }) => maintenance.measure(repositoryId), { atOnceMax: 1 });
  for (const [kind, work] of [
    [COMMIT_GRAPH, 'commit-graph'],
    [REPACK, 'repack'],
    [PRUNE, 'prune'],
  ] as const) {
    jobs.register(kind, ({ repositoryId }) => maintenance.maintain(repositoryId, work), { atOnceMax: 1 });
  }
  jobs.schedule('storage.sweep', LIMITS.sweepEveryMs, async () => {
    await repositories.sweepAbandoned(LIMITS.sweepGraceMs);
    await git.sweep(LIMITS.sweepGraceMs);
  });
  jobs.schedule('events.prune', LIMITS.eventsPruneEveryMs, () => pruneEvents(database));
}

/** Keeps repositories quick to read and as small as they can be, a little after they were pushed to. */
class Maintenance {
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #jobs: Jobs;

  constructor(dependencies: Dependencies) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
    this.#jobs = dependencies.jobs;
  }

  async afterPush(tx: Tx, id: RepositoryId): Promise<void> {
    await this.#want(tx, MEASURE, id, LIMITS.measureDelayMs);
    // What this push has made unused is old enough to be deleted by then.
    await this.#want(tx, PRUNE, id, LIMITS.pruneDelayMs);
  }

  /** However many pushes ask for it, it is done once for all of them. */
  #want(tx: Tx, kind: JobKind<OfRepository>, id: RepositoryId, delayMs: number): Promise<void> {
    return this.#jobs.enqueue(tx, kind, { key: `${id}`, payload: { repositoryId: id }, delayMs });
  }

  /** Writes the size down and asks for what the repository has come to need. */
  async measure(id: RepositoryId): Promise<void> {
    const { bytes, packs, looseObjects } = await this.#git.measure(id);
    await this.#database.transaction(async (tx) => {
      const before = await keepSizeBytes(tx, id, bytes);
      if (before === undefined) return;
      if (packs >= LIMITS.packsMax || looseObjects >= LIMITS.looseObjectsMax) {
        await this.#want(tx, REPACK, id, 0);
      } else if (bytes - before >= LIMITS.commitGraphGrowthBytesMin) {
        await this.#want(tx, COMMIT_GRAPH, id, 0);
      }
    });
  }

  /** Does nothing where the repository is gone. A repack and a prune write a new commit-graph, too. */
  async maintain(id: RepositoryId, work: Upkept): Promise<void> {
    try {
      await this.#maintainWhateverIsPushed(id, work);
    } catch (error) {
      if (error instanceof ForgeError && error.failure.kind === 'not_found') return;
      throw error;
    }
    const { bytes } = await this.#git.measure(id);
    await this.#database.transaction((tx) => keepSizeBytes(tx, id, bytes));
  }

  async #maintainWhateverIsPushed(id: RepositoryId, work: Upkept): Promise<void> {
    for (let race = 1; race <= LIMITS.maintenanceRacesMax; race += 1) {
      if ((await this.#git.maintain(id, work)) === 'done') return;
    }
    throw new Error(`${work}: pushes came in between ${LIMITS.maintenanceRacesMax} times`);
  }
}

async function pruneEvents(database: Database): Promise<void> {
  const before = Date.now() - LIMITS.eventsKeptMs;
  for (;;) {
    const count = await database.transaction((tx) => deleteOldEvents(tx, before));
    if (count < LIMITS.eventsPrunedAtOnceMax) return;
  }
}
