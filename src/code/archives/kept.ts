import { ForgeError } from '../../base/core/failure.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { RepositoryId } from '../../git/model.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type {
  ObjectRange,
  ObjectReading,
  ObjectStorage,
  SignedRequest,
  StoredObject,
} from '../../storage/model.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import {
  deleteDoomedArchive,
  doomArchive,
  doomArchivesOf,
  doomUnused,
  findKeptKey,
  isKept,
  listDoomedKeys,
  listLeastUsed,
  setArchiveUsed,
  sumArchiveBytes,
  upsertArchive,
} from './store.ts';

const TRIM = defineJob<Record<never, never>>('archives.trim');
/** The job runs for all archives. */
const ALL = 'all';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly bytesMax: number;
}

/**
 * Archives in the object store, within a budget of bytes: the least recently used ones go first. Each has a row before
 * its object is stored, and until the object is deleted.
 */
export class KeptArchives {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #objects: ObjectStorage;
  readonly #bytesMax: number;
  /** archives whose row has a recent time */
  readonly #recent = createCountedCache<string, true>({
    entriesMax: ARCHIVE_LIMITS.archiveUseRememberedMax,
    ttlMs: ARCHIVE_LIMITS.archiveUseLagMs,
  });

  constructor({ database, jobs, objects, bytesMax }: Dependencies) {
    this.#database = database;
    this.#jobs = jobs;
    this.#objects = objects;
    this.#bytesMax = bytesMax;
    jobs.register(TRIM, (_, { signal }) => this.#trim(signal), { atOnceMax: 1 });
  }

  /** Returns the end of a key that begins with `folder`, then `start` and a dot. */
  async findName(folder: string, start: string): Promise<string | undefined> {
    const key = await findKeptKey(this.#database.reader, `${folder}${start}`);
    return key?.slice(folder.length);
  }

  find(key: string): Promise<StoredObject | undefined> {
    return this.#objects.head(key);
  }

  /** Opens an archive; undefined if it is gone. */
  async open(key: string, range: ObjectRange | undefined): Promise<ObjectReading | undefined> {
    try {
      const reading = await this.#objects.get(key, range);
      await this.#use(key);
      return reading;
    } catch (error) {
      if (error instanceof ForgeError && error.failure.kind === 'not_found') return undefined;
      throw error;
    }
  }

  /** Returns an address at which the client gets an archive from the object store. */
  async addressOf(key: string, download: Omit<SignedRequest, 'lifetimeMs'>): Promise<string> {
    await this.#use(key);
    return this.#objects.signedUrl(key, { ...download, lifetimeMs: STORAGE_LIMITS.signedAddressMs });
  }

  async #use(key: string): Promise<void> {
    if (this.#recent.get(key)) return;
    this.#recent.set(key, true);
    await this.#database.transaction((tx) => setArchiveUsed(tx, key, Date.now()));
  }

  /** Stores an archive, unless it takes a large part of the budget or its repository is gone. */
  async keep(
    { key, repositoryId }: { key: string; repositoryId: RepositoryId },
    archive: { sizeBytes: number; read(): AsyncIterable<Buffer> },
  ): Promise<void> {
    const bytes = archive.sizeBytes;
    if (bytes > this.#bytesMax / 4) return;
    const isReserved = await this.#database.transaction(async (tx) => {
      await this.#jobs.enqueue(tx, TRIM, {
        key: ALL,
        payload: {},
        delayMs: ARCHIVE_LIMITS.archiveTrimDelayMs,
      });
      return upsertArchive(tx, { key, repositoryId, bytes, usedAt: Date.now() });
    });
    if (!isReserved) return;
    await this.#objects.put(key, archive.read(), { sizeBytes: bytes });
    this.#recent.set(key, true);
    // The repository may have been deleted meanwhile.
    if (await isKept(this.#database.reader, key)) return;
    await this.#database.transaction((tx) => doomArchive(tx, key));
    await this.#delete(key);
  }

  /** Dooms the archives of a repository that is about to be deleted. */
  async removeAllOf(tx: Tx, id: RepositoryId): Promise<void> {
    if (await doomArchivesOf(tx, id)) await this.#jobs.enqueue(tx, TRIM, { key: ALL, payload: {} });
  }

  async #trim(signal: AbortSignal): Promise<void> {
    const db = this.#database.reader;
    for (;;) {
      await this.#deleteDoomed(signal);
      const over = (await sumArchiveBytes(db)) - this.#bytesMax;
      if (over <= 0) return;
      await this.#doomLeastUsed(over, signal);
    }
  }

  /** Dooms archives until they have `over` bytes together, or the job has had enough in one go. */
  async #doomLeastUsed(over: number, signal: AbortSignal): Promise<void> {
    let left = over;
    for (const archive of await listLeastUsed(this.#database.reader, ARCHIVE_LIMITS.archivesTrimmedInOneGo)) {
      signal.throwIfAborted();
      if (left <= 0) return;
      if (await this.#database.transaction((tx) => doomUnused(tx, archive))) left -= archive.bytes;
    }
  }

  async #deleteDoomed(signal: AbortSignal): Promise<void> {
    for (;;) {
      const keys = await listDoomedKeys(this.#database.reader, ARCHIVE_LIMITS.archivesTrimmedInOneGo);
      if (keys.length === 0) return;
      for (const key of keys) {
        signal.throwIfAborted();
        await this.#delete(key);
      }
    }
  }

  /** The row goes last. If the archive is stored again meanwhile, its row is no longer doomed and stays. */
  async #delete(key: string): Promise<void> {
    this.#recent.delete(key);
    await this.#objects.delete(key);
    await this.#database.transaction((tx) => deleteDoomedArchive(tx, key));
  }
}
