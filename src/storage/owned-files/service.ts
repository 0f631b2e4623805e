import { ForgeError } from '../../base/core/failure.ts';
import { runForServer } from '../../base/core/fairness/caller.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob, type JobKind } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { ObjectStorage } from '../model.ts';
import type { FileRows, LinkedUpload, Sweep, Upload } from './model.ts';
import { digitsInTurn, removeStrays } from './strays.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
}

/** One job collects all files of a kind. */
const ALL = 'all';

/**
 * The life of files in the object store that have rows.
 *
 * An upload reserves its row, renews the reservation while the bytes arrive, and links the row at the end. A collection
 * dooms a row that has no link, in a transaction that waits for every other use of the row. It deletes the bytes next, and
 * the row last. So a crash leaves a row that the next collection finds, and nothing deletes bytes of a linked file.
 */
export class OwnedFiles<File, Id = number> {
  readonly #use: Dependencies;
  readonly #rows: FileRows<File, Id>;
  readonly #collecting: JobKind<Record<never, never>>;

  constructor(dependencies: Dependencies, rows: FileRows<File, Id>) {
    this.#use = dependencies;
    this.#rows = rows;
    this.#collecting = defineJob(rows.jobs.collect);
    const { jobs } = dependencies;
    jobs.register(this.#collecting, (_, { signal }) => this.collect({ signal }), { atOnceMax: 1 });
    jobs.schedule(rows.jobs.sweep, STORAGE_LIMITS.sweepEveryMs, (_, { signal }) =>
      this.sweep({ signal, now: currentTimeMs() }),
    );
  }

  /**
   * Stores a file and links it. Both are durable when this returns.
   *
   * @throws ForgeError `busy` if the upload stood still for so long that the file was collected; any error of the steps
   */
  async store<F extends File, Content, Rights, Linked>(
    upload: LinkedUpload<F, Content, Rights, Linked>,
  ): Promise<Linked> {
    const file = await this.#reserve(upload);
    try {
      const content = await this.whileReserved(file, () => upload.put(file));
      faultPoint('before-file-link');
      const linked = await this.#use.database.transaction(async (tx) => {
        const rights = await upload.authorize(tx, content);
        return upload.link(tx, { file, content, rights });
      });
      faultPoint('after-file-link');
      if (linked !== undefined) return linked;
      // The collection may have deleted the bytes before the last of them arrived.
      await this.#deleteBytes(file);
      throw tookTooLong('upload');
    } catch (error) {
      // If this fails, the sweep deletes the file.
      if (!this.#rows.isShared) await runForServer(() => this.#abandon(file)).catch(() => {});
      throw error;
    }
  }

  /**
   * Stores a file without a link. The caller links it, or it is deleted after `STORAGE_LIMITS.fileReservationMs`.
   *
   * @throws any error of the steps
   */
  async stage<F extends File>(upload: Upload<F, unknown>): Promise<F> {
    const file = await this.#reserve(upload);
    await this.whileReserved(file, () => upload.put(file));
    return file;
  }

  /** Renews the reservation of a file while its bytes arrive. The link fails if a renewal came too late. */
  async whileReserved<Content>(file: File, put: () => Promise<Content>): Promise<Content> {
    const renew = () => this.#use.database.transaction((tx) => this.#rows.renew(tx, file, reservedUntil()));
    const renewing = setInterval(
      () => void renew().catch(() => {}),
      STORAGE_LIMITS.fileReservationRenewedEveryMs,
    ).unref();
    try {
      return await put();
    } finally {
      clearInterval(renewing);
    }
  }

  #reserve<F extends File>(upload: Upload<F, unknown>): Promise<F> {
    return this.#use.database.transaction((tx) => upload.reserve(tx, reservedUntil()));
  }

  async #abandon(file: File): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      await this.#rows.renew(tx, file, 0);
      await this.requestCollection(tx);
    });
  }

  /** Requests the deletion of files that lose their links in the same transaction. */
  async requestCollection(tx: Tx, options: { delayMs?: number } = {}): Promise<void> {
    await this.#use.jobs.enqueue(tx, this.#collecting, { key: ALL, payload: {}, ...options });
  }

  /**
   * Deletes files without a link, and the remains of interrupted uploads.
   *
   * @param options.aheadMs also deletes files that are due within this time
   */
  async collect({ signal, aheadMs = 0 }: { signal: AbortSignal; aheadMs?: number }): Promise<void> {
    const now = currentTimeMs() + aheadMs;
    for (;;) {
      const { reader } = this.#use.database;
      const lost = await this.#rows.listLost(reader, now, STORAGE_LIMITS.filesCollectedInOneGo);
      if (lost.length === 0) return;
      for (const file of lost) {
        signal.throwIfAborted();
        const isDoomed =
          file.isDoomed || (await this.#use.database.transaction((tx) => this.#rows.doom(tx, file)));
        if (!isDoomed) continue;
        faultPoint('after-file-doom');
        await this.delete(file);
      }
    }
  }

  /** Deletes the bytes of a doomed file, and then its row. */
  async delete(file: File): Promise<void> {
    await this.#deleteBytes(file);
    faultPoint('after-file-delete');
    await this.#use.database.transaction((tx) => this.#rows.delete(tx, file));
  }

  async #deleteBytes(file: File): Promise<void> {
    const { objects } = this.#use;
    const key = this.#rows.keyOf(file);
    if (!key.endsWith('/')) await objects.delete(key);
    else for await (const part of objects.list(key)) await objects.delete(part.key);
  }

  /**
   * Collects, and deletes objects without a row.
   *
   * @param digits the two hex digits whose turn it is
   */
  async sweep(sweep: Sweep, digits = digitsInTurn(sweep)): Promise<void> {
    await this.collect(sweep);
    const { objects, database } = this.#use;
    await removeStrays({ objects, db: database.reader }, sweep, { digits, strays: this.#rows.strays });
  }
}

/** The failure of a link to a file whose upload stood still for an hour, so that the collection has overtaken it. */
export function tookTooLong(work: 'upload' | 'copy'): ForgeError {
  return new ForgeError({ kind: 'busy', what: `the ${work} took too long: try again`, retryAfterSeconds: 1 });
}

function reservedUntil(): number {
  return currentTimeMs() + STORAGE_LIMITS.fileReservationMs;
}
