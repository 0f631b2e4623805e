import { faultPoint } from '../../../base/core/faults.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { STORAGE_LIMITS } from '../../../storage/limits.ts';
import type { ObjectStorage } from '../../../storage/model.ts';
import { digitsInTurn, removeStrays, type StraySweep } from '../../../storage/strays.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { keyOf, uuidOf } from '../models/attachments.ts';
import {
  type Detached,
  deleteDoomedFile,
  detachFiles,
  doomFile,
  type LostFile,
  listKnownFiles,
  listLostFiles,
  setCollection,
} from '../store/attachments.ts';

const COLLECT = defineJob<Record<never, never>>('issue-attachments.collect');
/** One job deletes all files. */
const ALL = 'all';

/**
 * Deletes the files of attachments that belong to no issue, and of interrupted uploads.
 *
 * A row is doomed first, so that no upload can finish with it any more. The bytes are deleted next, and the row last.
 */
export class AttachmentCollection {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #objects: ObjectStorage;

  constructor({ database, jobs, objects }: { database: Database; jobs: Jobs; objects: ObjectStorage }) {
    this.#database = database;
    this.#jobs = jobs;
    this.#objects = objects;
    jobs.register(COLLECT, (_, { signal }) => this.collect({ signal }), { atOnceMax: 1 });
    jobs.schedule('issue-attachments.sweep', STORAGE_LIMITS.sweepEveryMs, (_, { signal }) =>
      this.sweep({ signal, now: Date.now() }),
    );
  }

  /** Schedules deletion of an attachment's file, or of all files of a deleted comment, issue or repository. */
  async release(tx: Tx, from: Detached): Promise<void> {
    if (await detachFiles(tx, from)) await this.#request(tx);
  }

  /** Schedules deletion of the file of a failed upload. */
  async abandon(id: number): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await setCollection(tx, id, 0);
      await this.#request(tx);
    });
  }

  async #request(tx: Tx): Promise<void> {
    await this.#jobs.enqueue(tx, COLLECT, { key: ALL, payload: {} });
  }

  /** @param options.aheadMs also deletes files that are due within this time */
  async collect({ signal, aheadMs = 0 }: { signal: AbortSignal; aheadMs?: number }): Promise<void> {
    const now = Date.now() + aheadMs;
    for (;;) {
      const lost = await listLostFiles(
        this.#database.reader,
        now,
        ISSUE_LIMITS.issueAttachmentsCollectedInOneGo,
      );
      if (lost.length === 0) return;
      for (const file of lost) {
        signal.throwIfAborted();
        await this.#delete(file, now);
      }
    }
  }

  /**
   * Collects, and deletes bytes without a row.
   *
   * @param digits the first two of the files to look at
   */
  async sweep(sweep: StraySweep, digits = digitsInTurn(sweep)): Promise<void> {
    await this.collect(sweep);
    await removeStrays(this.#objects, sweep, {
      prefix: `attachments/${digits}/`,
      idOf: uuidOf,
      listKnown: (uuids) => listKnownFiles(this.#database.reader, uuids),
    });
  }

  async #delete(file: LostFile, now: number): Promise<void> {
    if (!(await this.#database.transaction((tx) => doomFile(tx, file.id, now)))) return;
    faultPoint('after-attachment-doom');
    await this.#objects.delete(keyOf(file));
    faultPoint('after-attachment-delete');
    await this.#database.transaction((tx) => deleteDoomedFile(tx, file.id));
  }
}
