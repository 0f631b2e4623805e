import { faultPoint } from '../../base/core/faults.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { RepositoryId } from '../../git/model.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { CreatedRepository } from '../repositories/creation/model.ts';
import { LFS_LIMITS } from './limits.ts';
import { keyOf } from './model.ts';
import type { ResumableUploads } from './resumable.ts';
import {
  copyAllLinks,
  deleteDoomed,
  doomUnlessLinked,
  listDoomed,
  listDue,
  releaseLinks,
} from './store/objects.ts';
import { StrayBytes } from './strays.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly resumable: ResumableUploads;
}

const COLLECT = defineJob<Record<never, never>>('lfs.collect');
/** One job checks all objects. */
const ALL = 'all';

/**
 * Deletes objects that belong to no repository, and the remains of interrupted uploads.
 *
 * A row is doomed first, in a transaction that waits for every other use of the row. A doomed row is never used again.
 * The bytes are deleted next, and the row last. An upload of the same object during this time writes a new row, whose
 * key differs, so nothing deletes its bytes.
 */
export class ObjectCollection {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #objects: ObjectStorage;
  readonly #resumable: ResumableUploads;
  readonly #strays: StrayBytes;

  constructor({ database, jobs, objects, resumable }: Dependencies) {
    this.#resumable = resumable;
    this.#strays = new StrayBytes({ database, objects });
    this.#database = database;
    this.#jobs = jobs;
    this.#objects = objects;
    jobs.register(COLLECT, (_, { signal }) => this.collect({ signal }), { atOnceMax: 1 });
    jobs.schedule('lfs.sweep', STORAGE_LIMITS.sweepEveryMs, (_, { signal }) => this.#sweep(signal));
  }

  /** Links the objects of a parent to its fork. The parent is locked. */
  async afterCreation(tx: Tx, { repositoryId: to, parentId: from }: CreatedRepository): Promise<void> {
    if (from !== null) await copyAllLinks(tx, { from, to, at: Date.now() });
  }

  /**
   * Schedules a check of the objects of a repository that is about to be deleted. Its links are deleted with its row.
   */
  async release(tx: Tx, id: RepositoryId): Promise<void> {
    if (await releaseLinks(tx, id, Date.now()))
      await this.#jobs.enqueue(tx, COLLECT, { key: ALL, payload: {} });
  }

  /** @param options.aheadMs also collects objects that are due within this time */
  async collect(options: { signal: AbortSignal; aheadMs?: number }): Promise<void> {
    const { signal, aheadMs = 0 } = options;
    await this.#resumable.removeExpired({ signal, aheadMs });
    const limit = LFS_LIMITS.lfsObjectsCollectedInOneGo;
    for (;;) {
      await this.#deleteDoomed(signal);
      const due = await listDue(this.#database.reader, Date.now() + aheadMs, limit);
      if (due.length === 0) return;
      for (const object of due) {
        signal.throwIfAborted();
        await this.#database.transaction((tx) => doomUnlessLinked(tx, object));
      }
      faultPoint('after-lfs-doom');
    }
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    await this.collect({ signal });
    await this.#strays.remove({ signal, now: Date.now() });
  }

  async #deleteDoomed(signal: AbortSignal): Promise<void> {
    for (;;) {
      const doomed = await listDoomed(this.#database.reader, LFS_LIMITS.lfsObjectsCollectedInOneGo);
      if (doomed.length === 0) return;
      for (const object of doomed) {
        signal.throwIfAborted();
        await this.#objects.delete(keyOf(object));
        faultPoint('after-lfs-delete');
        await this.#database.transaction((tx) => deleteDoomed(tx, object.id));
      }
    }
  }
}
