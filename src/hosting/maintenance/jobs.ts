import { undefinedIf } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { EVENT_LIMITS } from '../../base/events/limits.ts';
import { deleteOldEvents } from '../../base/events/store.ts';
import { defineJob, type JobKind } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { MaintenanceJob } from '../../git/interface/upkeep.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { CreatedRepository } from '../repositories/creation/model.ts';
import type { RefsChange } from '../repositories/refs/pushes.ts';
import { setSizeBytes } from '../repositories/writes.ts';
import { MAINTENANCE_LIMITS } from './limits.ts';

interface OfRepository {
  readonly repositoryId: RepositoryId;
}

const MEASURE = defineJob<OfRepository>('repository.measure');
const COMMIT_GRAPH = defineJob<OfRepository>('repository.commit-graph');
const REPACK = defineJob<OfRepository>('repository.repack');
const PRUNE = defineJob<OfRepository>('repository.prune');
const COMPACT_REFS = defineJob<OfRepository>('repository.compact-refs');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'upkeep'>;
  readonly jobs: Jobs;
  readonly objectLinks: ObjectLinks;
}

/** Keeps repositories small and quick to read, shortly after pushes. */
export class Maintenance {
  readonly #use: Dependencies;
  readonly #jobs: Jobs;

  constructor(dependencies: Dependencies) {
    const { jobs } = dependencies;
    this.#use = dependencies;
    this.#jobs = jobs;
    jobs.register(MEASURE, ({ repositoryId }) => this.measure(repositoryId), { atOnceMax: 1 });
    jobs.register(COMPACT_REFS, ({ repositoryId }) => this.compactRefs(repositoryId), { atOnceMax: 1 });
    for (const [kind, work] of [
      [COMMIT_GRAPH, 'commit-graph'],
      [REPACK, 'repack'],
      [PRUNE, 'prune'],
    ] as const) {
      jobs.register(kind, ({ repositoryId }) => this.maintain(repositoryId, work), { atOnceMax: 1 });
    }
  }

  async afterPush(tx: Tx, change: Pick<RefsChange, 'repositoryId' | 'moved'>): Promise<void> {
    const { repositoryId: id, moved } = change;
    // By the time of the prune, objects that this push left unused are old enough to be deleted.
    await this.afterObjects(tx, id);
    const isDeletion = moved.some(({ new: oid }) => oid === null);
    if (isDeletion) await this.#want(tx, COMPACT_REFS, id, MAINTENANCE_LIMITS.deletedRefsKeptMs);
  }

  /** Objects without a ref count, and a prune deletes them unless a ref comes to reach them. */
  async afterObjects(tx: Tx, id: RepositoryId): Promise<void> {
    await this.#want(tx, MEASURE, id, MAINTENANCE_LIMITS.measureDelayMs);
    await this.#want(tx, PRUNE, id, MAINTENANCE_LIMITS.pruneDelayMs);
  }

  /** The objects of a fork are as new to its folder as pushed ones. */
  async afterCreation(tx: Tx, created: CreatedRepository): Promise<void> {
    if (created.parentId !== null) await this.afterPush(tx, { ...created, moved: [] });
  }

  async compactRefs(id: RepositoryId): Promise<void> {
    if (!(await this.#use.git.refs.compactRefs(id))) return;
    const delayMs = MAINTENANCE_LIMITS.deletedRefsKeptMs;
    await this.#use.database.transaction((tx) => this.#want(tx, COMPACT_REFS, id, delayMs));
  }

  /** Several pushes that need the same work share one job. */
  #want(tx: Tx, kind: JobKind<OfRepository>, id: RepositoryId, delayMs: number): Promise<void> {
    return this.#jobs.enqueue(tx, kind, { key: `${id}`, payload: { repositoryId: id }, delayMs });
  }

  /** Stores the size and enqueues the maintenance that the repository now needs. */
  async measure(id: RepositoryId): Promise<void> {
    const { packs, looseObjects, ...inGit } = await this.#use.git.upkeep.measure(id);
    const sizes = { gitBytes: inGit.bytes, lfsBytes: await this.#use.objectLinks.bytesOf(id) };
    const bytes = sizes.gitBytes + sizes.lfsBytes;
    await this.#use.database.transaction(async (tx) => {
      // New large files may request a commit-graph, too. It does no harm.
      const before = await setSizeBytes(tx, id, sizes);
      if (before === undefined) return;
      if (packs >= MAINTENANCE_LIMITS.packsMax || looseObjects >= MAINTENANCE_LIMITS.looseObjectsMax) {
        await this.#want(tx, REPACK, id, 0);
      } else if (bytes - before >= MAINTENANCE_LIMITS.commitGraphGrowthBytesMin) {
        await this.#want(tx, COMMIT_GRAPH, id, 0);
      }
    });
  }

  /** Does nothing if the repository no longer exists. A repack and a prune also write a new commit-graph. */
  async maintain(id: RepositoryId, work: MaintenanceJob): Promise<void> {
    await this.#maintainAndMeasure(id, work).catch(undefinedIf('not_found'));
  }

  async #maintainAndMeasure(id: RepositoryId, work: MaintenanceJob): Promise<void> {
    await this.#maintainWhateverIsPushed(id, work);
    const gitBytes = (await this.#use.git.upkeep.measure(id)).bytes;
    const lfsBytes = await this.#use.objectLinks.bytesOf(id);
    await this.#use.database.transaction((tx) => setSizeBytes(tx, id, { gitBytes, lfsBytes }));
  }

  async #maintainWhateverIsPushed(id: RepositoryId, work: MaintenanceJob): Promise<void> {
    for (let race = 1; race <= GIT_LIMITS.maintenanceRacesMax; race += 1) {
      if ((await this.#use.git.upkeep.maintain(id, work)) === 'done') return;
    }
    throw new Error(`${work}: pushes came in between ${GIT_LIMITS.maintenanceRacesMax} times`);
  }
}

/** Deletes the events that are older than they are kept and that every reader has handled. */
export async function pruneEvents(database: Database): Promise<void> {
  const before = currentTimeMs() - MAINTENANCE_LIMITS.eventsKeptMs;
  for (;;) {
    const count = await database.transaction((tx) => deleteOldEvents(tx, before));
    if (count < EVENT_LIMITS.eventsPrunedAtOnceMax) return;
  }
}
