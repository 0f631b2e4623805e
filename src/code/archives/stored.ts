import { isFailure } from '../../base/core/failure.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type {
  ObjectRange,
  ObjectReading,
  ObjectStorage,
  SignedRequest,
  StoredObject,
} from '../../storage/model.ts';
import { OwnedFiles } from '../../storage/owned-files/service.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import type { ArchiveFile } from './model.ts';
import {
  archiveRows,
  doomArchive,
  doomArchivesOf,
  findStoredKey,
  isStored,
  setArchiveUsed,
  upsertArchive,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly bytesMax: number;
}

/** Archives in the object store, within a budget of bytes: the least recently used ones are deleted first. */
export class StoredArchives {
  readonly #use: Dependencies;
  readonly #files: OwnedFiles<ArchiveFile, string>;
  /** archives whose row has a recent time */
  readonly #recent = createCountedCache<string, true>({
    entriesMax: ARCHIVE_LIMITS.archiveUseRememberedMax,
    ttlMs: ARCHIVE_LIMITS.archiveUseLagMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#files = new OwnedFiles(dependencies, archiveRows(dependencies.bytesMax));
  }

  /** Returns the end of a key that begins with `folder`, then `start` and a dot. */
  async findName(folder: string, start: string): Promise<string | undefined> {
    const key = await findStoredKey(this.#use.database.reader, `${folder}${start}`);
    return key?.slice(folder.length);
  }

  find(key: string): Promise<StoredObject | undefined> {
    return this.#use.objects.head(key);
  }

  /** Opens an archive; undefined if it is gone. */
  async open(key: string, range: ObjectRange | undefined): Promise<ObjectReading | undefined> {
    try {
      const reading = await this.#use.objects.get(key, range);
      await this.#recordUse(key);
      return reading;
    } catch (error) {
      if (isFailure(error, 'not_found')) return undefined;
      throw error;
    }
  }

  /** Returns an address at which the client gets an archive from the object store. */
  async addressOf(key: string, download: Omit<SignedRequest, 'lifetimeMs'>): Promise<string> {
    await this.#recordUse(key);
    return this.#use.objects.signedUrl(key, { ...download, lifetimeMs: STORAGE_LIMITS.signedAddressMs });
  }

  async #recordUse(key: string): Promise<void> {
    if (this.#recent.get(key)) return;
    this.#recent.set(key, true);
    await this.#use.database.transaction((tx) => setArchiveUsed(tx, key, currentTimeMs()));
  }

  /**
   * Stores an archive, unless it takes a large part of the budget, its repository is gone, or an earlier build of it is
   * being deleted.
   */
  async store(
    { key, repositoryId }: { key: string; repositoryId: RepositoryId },
    archive: { sizeBytes: number; read(): AsyncIterable<Buffer> },
  ): Promise<void> {
    const { database, objects, bytesMax } = this.#use;
    const { sizeBytes: bytes } = archive;
    if (bytes > bytesMax / 4) return;
    const isReserved = await database.transaction(async (tx) => {
      await this.#files.requestCollection(tx, { delayMs: ARCHIVE_LIMITS.archiveTrimDelayMs });
      return upsertArchive(tx, { key, repositoryId, bytes, usedAt: currentTimeMs() });
    });
    if (!isReserved) return;
    await this.#files.whileReserved({ key }, () => objects.put(key, archive.read(), { sizeBytes: bytes }));
    this.#recent.set(key, true);
    // The repository may have been deleted at the same time.
    if (await isStored(database.reader, key)) return;
    await database.transaction((tx) => doomArchive(tx, key));
    await this.#files.delete({ key });
  }

  /** Dooms the archives of a repository that is about to be deleted. */
  async removeAllOf(tx: Tx, id: RepositoryId): Promise<void> {
    if (await doomArchivesOf(tx, id)) await this.#files.requestCollection(tx);
  }
}
