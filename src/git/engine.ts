import { join } from 'node:path';
import { runForServer } from '../base/core/fairness/caller.ts';
import { faultPoint } from '../base/core/faults.ts';
import type { Log } from '../base/core/log.ts';
import { createCountedCache } from '../base/core/sized-cache.ts';
import type { Database } from '../base/database/database.ts';
import { ChangeIndex } from './changes/change-index.ts';
import { pardonAbandoned } from './folders/condemned.ts';
import {
  type CompleteFolder,
  ensureRepositoryFolder,
  exists,
  moveStagedIntoPlace,
  RepositoryFolder,
  stagedRoot,
} from './folders/repository-layout.ts';
import { RepositoryLocks } from './folders/repository-locks.ts';
import type { ObjectFormat } from './format/model.ts';
import { FreshObjects } from './fresh/fresh-objects.ts';
import type { RepositoryId, Snapshot } from './interface/snapshot.ts';
import { defaultTransferSettings, type TransferSettings } from './interface/transfers.ts';
import type { SignCommit } from './interface/writes.ts';
import { GIT_LIMITS } from './limits.ts';
import { CatFilePool } from './objects/cat-file-pool.ts';
import { LargeBlobs } from './objects/large-blobs.ts';
import { RepositoryObjectCache } from './objects/object-cache.ts';
import { CachedObjectReader } from './objects/object-reader.ts';
import { MeterThread } from './packs/metering.ts';
import { type TransferResources, transferResources } from './processes/transfer-resources.ts';
import { LocalSnapshot } from './refs/local-snapshot.ts';
import { Mirror } from './refs/mirror.ts';
import { type RefVersion, RefVersions } from './refs/ref-versions.ts';
import { clearStaged, findGitRepository, findStaged } from './store.ts';

const FOLDERS_REMEMBERED = 10_000;
const REPOSITORIES_COUNTED = 10_000;

/** Caches, child processes and locks that all work on local repositories in this process shares. */
export class Engine {
  readonly database: Database;
  readonly root: string;
  readonly ownsFolder: boolean;
  readonly log: Log;
  readonly signCommit: SignCommit | undefined;
  readonly versions: RefVersions;
  readonly mirror: Mirror;
  readonly transfers: TransferResources;
  readonly largeBlobs: LargeBlobs;
  readonly fresh: FreshObjects;
  readonly pool = new CatFilePool();
  readonly meterThread = new MeterThread();
  readonly changes = new ChangeIndex();
  readonly cache = new RepositoryObjectCache({ bytesMax: GIT_LIMITS.objectCacheBytesMax });
  /** Commits share a repository's lock; a maintenance job that removes files holds it exclusively. */
  readonly locks = new RepositoryLocks();
  /** quarantines, workshops and staged folders that this process uses now */
  readonly liveFolders = new Set<string>();
  /** how often objects were stored that no ref reaches, in this process */
  readonly storedWithoutRef = createCountedCache<RepositoryId, number>({ entriesMax: REPOSITORIES_COUNTED });
  /** repositories whose folder is being created */
  readonly #making = new Map<RepositoryId, Promise<void>>();
  readonly #made = createCountedCache<RepositoryId, true>({ entriesMax: FOLDERS_REMEMBERED });

  /** @param options.ownsFolder whether this process holds the lock of the data folder */
  constructor(options: {
    database: Database;
    root: string;
    log: Log;
    ownsFolder: boolean;
    transfers?: TransferSettings;
    signCommit?: SignCommit | undefined;
  }) {
    this.ownsFolder = options.ownsFolder;
    this.database = options.database;
    this.root = options.root;
    this.log = options.log;
    this.signCommit = options.signCommit;
    this.fresh = new FreshObjects(options.database, { ownsFolder: options.ownsFolder });
    this.versions = new RefVersions(options.database, (id) => this.fresh.markOutdated(id));
    this.mirror = new Mirror(options.log);
    this.transfers = transferResources(options.root, options.transfers ?? defaultTransferSettings());
    this.largeBlobs = new LargeBlobs(this.transfers);
  }

  /**
   * Returns the folder of a repository, which it creates if needed, with all objects in files. Only here a folder
   * becomes complete: see `CompleteFolder`.
   */
  async completeFolder(id: RepositoryId, format: ObjectFormat): Promise<CompleteFolder> {
    const folder = await this.createdFolder(id, format);
    await this.fresh.copyToFiles(id, folder);
    return folder as CompleteFolder;
  }

  /** As `completeFolder`, with refs at least as new as `snapshot`. */
  async mirroredFolder({ id, objectFormat, version }: Snapshot): Promise<CompleteFolder> {
    const folder = await this.completeFolder(id, objectFormat);
    await this.mirror.updateTo(id, folder, version, async () => {
      const current = await this.versions.current(id);
      // What the refs name must be files before the mirror names it.
      await this.fresh.copyToFiles(id, folder);
      return current;
    });
    return folder;
  }

  /**
   * Returns the folder of a repository, which it creates if needed. Fresh objects may be missing from its files, so git
   * may not read it: for code that reads or writes other files there.
   */
  async createdFolder(id: RepositoryId, format: ObjectFormat): Promise<RepositoryFolder> {
    const folder = this.#folder(id);
    // One request may need it for thousands of objects at the same time.
    if (this.#made.get(id) === undefined) await (this.#making.get(id) ?? this.#makeFolder(id, format));
    return folder;
  }

  /** Returns the folder at its final path. It may not exist yet, and fresh objects may be missing from its files. */
  async placedFolder(id: RepositoryId): Promise<RepositoryFolder> {
    if (this.#made.get(id) === undefined) await this.#moveStaged(id);
    return this.#folder(id);
  }

  #folder(id: RepositoryId): RepositoryFolder {
    return RepositoryFolder.of(this.root, id);
  }

  #makeFolder(id: RepositoryId, format: ObjectFormat): Promise<void> {
    const making = runForServer(async () => {
      const folder = this.#folder(id);
      await this.#moveStaged(id);
      await ensureRepositoryFolder(folder, format);
      await this.restoreHidden(folder);
      this.#made.set(id, true);
    }).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    return making;
  }

  /**
   * Restores the files that an ended process has hidden. Without the lock of the data folder, a server may be hiding
   * them.
   */
  async restoreHidden(folder: RepositoryFolder): Promise<void> {
    if (this.ownsFolder) await pardonAbandoned(folder, this.liveFolders);
  }

  /** Returns where the objects of a repository are now, without creating or moving anything; undefined for nowhere. */
  async findFolder(id: RepositoryId): Promise<RepositoryFolder | undefined> {
    const staged = await findStaged(this.database.reader, id);
    const paths = [...(staged === null ? [] : [join(stagedRoot(this.root), staged)]), this.#folder(id).path];
    for (const path of paths) {
      if (await exists(path)) return new RepositoryFolder(path);
    }
    return undefined;
  }

  /** Moves a fork's staged folder to its final path, in case the process that wrote its rows ended before that. */
  async #moveStaged(id: RepositoryId): Promise<void> {
    const staged = await findStaged(this.database.reader, id);
    if (staged === null) return;
    await moveStagedIntoPlace(join(stagedRoot(this.root), staged), this.#folder(id));
    faultPoint('before-unstage');
    await this.database.transaction((tx) => clearStaged(tx, id));
  }

  /** Moves the fresh objects of a repository to files. Does nothing if the repository is gone. */
  async moveFreshToFiles(id: RepositoryId): Promise<void> {
    const row = await findGitRepository(this.database.reader, id);
    if (row === undefined) return this.fresh.forget(id);
    if (!(await this.fresh.has(id))) return;
    await this.fresh.moveToFiles(id, await this.createdFolder(id, row.format), row.format);
  }

  reader(id: RepositoryId, format: ObjectFormat): CachedObjectReader {
    return new CachedObjectReader({
      format,
      cache: this.cache.of(id),
      pool: this.pool,
      largeBlobs: this.largeBlobs,
      locate: async () => {
        const { path: gitDir } = await this.completeFolder(id, format);
        return { key: `${id}`, location: { gitDir } };
      },
    });
  }

  /** @throws ForgeError `not_found` */
  async open(id: RepositoryId): Promise<LocalSnapshot> {
    return this.snapshotOf(id, await this.versions.current(id));
  }

  snapshotOf(id: RepositoryId, at: RefVersion): LocalSnapshot {
    return new LocalSnapshot(id, at, this.reader(id, at.format));
  }

  /** Drops all cached state of a repository. */
  forget(id: RepositoryId): void {
    this.versions.forget(id);
    this.mirror.forget(id);
    this.cache.drop(id);
    this.pool.end(`${id}`);
    this.changes.drop(id);
    this.#made.delete(id);
    this.fresh.forget(id);
  }

  async close(): Promise<void> {
    this.pool.close();
    await this.changes.close();
    await this.meterThread.close();
  }
}
