import { ForgeError, undefinedIf } from '../../base/core/failure.ts';
import type { Database, Db } from '../../base/database/database.ts';
import { EVENT_LIMITS } from '../../base/events/limits.ts';
import { isOfKind } from '../../base/events/model.ts';
import { findNewestPosition, insertEvent, readEvents } from '../../base/events/store.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { DeletedObjects } from '../../git/interface/upkeep.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { Repositories } from '../repositories/service.ts';
import { setSizeBytes } from '../repositories/writes.ts';
import { REPOSITORY_PURGED } from './events.ts';

const PURGE = defineJob<{ readonly repositoryId: RepositoryId }>('repository.purge');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'upkeep'>;
  readonly jobs: Jobs;
  readonly objectLinks: ObjectLinks;
  readonly repositories: Repositories;
}

/** Deletes the unreachable objects of a repository on demand, such as a leaked secret. */
export class Purges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const work = ({ repositoryId }: { repositoryId: RepositoryId }) => this.#purgeIfPresent(repositoryId);
    this.#use.jobs.register(PURGE, work, { atOnceMax: 1 });
  }

  async #purgeIfPresent(id: RepositoryId): Promise<void> {
    await this.purge(id).catch(undefinedIf('not_found'));
  }

  /**
   * Purges in this process, which must hold the lock of the data folder.
   *
   * @param id of a repository, or of the git repository of a wiki
   */
  async purge(id: RepositoryId): Promise<DeletedObjects> {
    const deleted = await this.#purgeWhateverIsPushed(id);
    const gitBytes = (await this.#use.git.upkeep.measure(id)).bytes;
    const lfsBytes = await this.#use.objectLinks.bytesOf(id);
    await this.#use.database.transaction(async (tx) => {
      await setSizeBytes(tx, id, { gitBytes, lfsBytes });
      const repositoryId = await this.#ownerOf(tx, id);
      await insertEvent(tx, REPOSITORY_PURGED, { actorId: null, repositoryId, payload: deleted });
    });
    return deleted;
  }

  /** Returns the repository to which git data belongs, as its own or as its wiki. */
  async #ownerOf(db: Db, id: RepositoryId): Promise<RepositoryId> {
    return (await this.#use.repositories.findIdByWiki(db, id)) ?? id;
  }

  async #purgeWhateverIsPushed(id: RepositoryId): Promise<DeletedObjects> {
    for (let race = 1; race <= GIT_LIMITS.maintenanceRacesMax; race += 1) {
      const deleted = await this.#use.git.upkeep.purge(id);
      if (deleted !== 'lost-race') return deleted;
    }
    throw new Error(`purge: pushes came in between ${GIT_LIMITS.maintenanceRacesMax} times`);
  }

  /**
   * Lets the server purge, and waits for it. The request remains if this process ends.
   *
   * @param pause waits before the next look at the job
   * @throws ForgeError `busy` if an attempt failed; the server tries again
   */
  async request(id: RepositoryId, pause: () => Promise<unknown>): Promise<DeletedObjects> {
    const before = await findNewestPosition(this.#use.database.reader);
    const job = { key: `${id}`, payload: { repositoryId: id } };
    await this.#use.database.transaction((tx) => this.#use.jobs.enqueue(tx, PURGE, job));
    // If a purge is running, the job remains until it has run again.
    for (;;) {
      const state = await this.#use.jobs.find(PURGE, job.key);
      if (state === undefined) return this.#deletedAfter(id, before);
      if (!state.isRunning && state.attempts > 0) throw failedOnce(state.lastError);
      await pause();
    }
  }

  async #deletedAfter(id: RepositoryId, position: number): Promise<DeletedObjects> {
    let deleted: DeletedObjects = { objects: 0, bytes: 0 };
    const repositoryId = await this.#ownerOf(this.#use.database.reader, id);
    for (let after = position; ; ) {
      const options = { after, limit: EVENT_LIMITS.eventsReadAtOnceMax, kinds: [REPOSITORY_PURGED] };
      const { events, position: reached } = await readEvents(this.#use.database.reader, options);
      for (const event of events) {
        if (event.repositoryId !== repositoryId || !isOfKind(event, REPOSITORY_PURGED)) continue;
        const { objects, bytes } = event.payload;
        deleted = { objects: deleted.objects + objects, bytes: deleted.bytes + bytes };
      }
      if (events.length < options.limit) return deleted;
      after = reached;
    }
  }
}

function failedOnce(lastError: string): ForgeError {
  const what = `the server could not purge the repository and will try again: ${lastError}`;
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
}
