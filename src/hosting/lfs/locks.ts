import type { RepositoryAction } from '../../api/access/actions.ts';
import { isSignedIn, type SignedIn, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { getForGit } from '../repositories/git-clients.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { requireBound } from './bound.ts';
import { FILE_LOCKED, FILE_UNLOCKED } from './events.ts';
import { LFS_LIMITS } from './limits.ts';
import { cleanPath, type FileLock, type LockFilter, type LockPage } from './model.ts';
import { countLocks, deleteLock, findLock, insertLock, listLocks } from './store/locks.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
}

/** Records locks of files, which say who may change a file. git-lfs asks for them before a push. */
export class FileLocks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists a page of locks, the oldest first.
   *
   * @param page.cursor number of the page, from 0
   * @param page.limit at most `LFS_LIMITS.lfsLocksPerPageMax`, which is also the default
   * @throws ForgeError `unauthenticated`, `not_found`, `forbidden`
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: LockFilter,
    page: { cursor: number; limit: number | undefined },
    action: RepositoryAction = LFS.listLocks,
  ): Promise<LockPage> {
    const { id } = await this.#open(viewer, path, action);
    const pageMax = LFS_LIMITS.lfsLocksPerPageMax;
    const limit = page.limit !== undefined && page.limit > 0 ? Math.min(page.limit, pageMax) : pageMax;
    const cursor = Math.min(Math.max(page.cursor, 0), LFS_LIMITS.lfsLocksPerRepositoryMax);
    const cleaned = filter.path === undefined ? undefined : cleanPath(filter.path);
    // PostgreSQL rejects NUL.
    if (cleaned !== undefined && !isPlainLine(cleaned)) return { locks: [], nextCursor: undefined };
    // Reads one more lock, to see whether another page follows.
    const slice = { limit: limit + 1, offset: cursor * limit };
    const locks = await listLocks(this.#use.database.reader, id, { ...filter, path: cleaned }, slice);
    return { locks: locks.slice(0, limit), nextCursor: locks.length > limit ? cursor + 1 : undefined };
  }

  /** Lists a page of locks for a push. @throws ForgeError as `list` */
  listForPush(
    viewer: Viewer,
    path: RepositoryPath,
    page: { cursor: number; limit: number | undefined },
  ): Promise<LockPage> {
    return this.list(viewer, path, {}, page, LFS.lock);
  }

  /**
   * Locks a file for the viewer, unless it is locked.
   *
   * @throws ForgeError `unauthenticated`, `not_found`, `forbidden`, `archived`, `invalid`
   */
  async create(
    caller: Viewer,
    path: RepositoryPath,
    lockedPath: string,
  ): Promise<{ isNew: boolean; lock: FileLock }> {
    const viewer = signedIn(caller);
    const { id } = await this.#open(viewer, path, LFS.lock);
    const cleaned = cleanPath(lockedPath);
    requireUsable(cleaned);
    return this.#use.database.transaction(async (tx) => {
      const { repository } = await this.#use.repositories.lock(tx, viewer, id, LFS.lock);
      this.#use.pushes.requireOpen({ repository, origin: { kind: 'push' } });
      const existing = await findLock(tx, id, { path: cleaned });
      if (existing !== undefined) return { isNew: false, lock: existing };
      if ((await countLocks(tx, id)) >= LFS_LIMITS.lfsLocksPerRepositoryMax)
        throw invalid(`a repository has at most ${LFS_LIMITS.lfsLocksPerRepositoryMax} locks`);
      const ownerId = viewer.accountId;
      const lock = await insertLock(tx, { repositoryId: id, path: cleaned, ownerId, at: currentTimeMs() });
      const payload = { lockId: lock.id, path: cleaned };
      await insertEvent(tx, FILE_LOCKED, { actorId: ownerId, repositoryId: id, payload });
      return { isNew: true, lock };
    });
  }

  /**
   * Removes a lock.
   *
   * @param options.force removes the lock of another user, too
   * @throws ForgeError `unauthenticated`, `not_found`, `forbidden`
   */
  async remove(
    caller: Viewer,
    path: RepositoryPath,
    lockId: number,
    { force }: { force: boolean },
  ): Promise<FileLock> {
    const viewer = signedIn(caller);
    const { id } = await this.#open(viewer, path, LFS.lock);
    return this.#use.database.transaction(async (tx) => {
      const { repository } = await this.#use.repositories.lock(tx, viewer, id, LFS.lock);
      this.#use.pushes.requireOpen({ repository, origin: { kind: 'push' } });
      const lock = await findLock(tx, id, { id: lockId });
      if (lock === undefined) throw notFound('lock');
      const isOwn = lock.owner.id === viewer.accountId;
      if (!isOwn && !force) throw forbidden(`${lock.owner.name} holds this lock: use force to remove it`);
      await deleteLock(tx, lock.id);
      const payload = { lockId, path: lock.path, ownerId: lock.owner.id, forced: !isOwn };
      await insertEvent(tx, FILE_UNLOCKED, { actorId: viewer.accountId, repositoryId: id, payload });
      return lock;
    });
  }

  async #open(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<Repository> {
    const { repository } = await getForGit(this.#use.repositories, viewer, path, action);
    requireBound(viewer, repository.id, action === LFS.listLocks ? 'download' : 'upload');
    return repository;
  }
}

/** @throws ForgeError `unauthenticated` */
function signedIn(viewer: Viewer): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in to lock files' });
}

/** @throws ForgeError `invalid` */
function requireUsable(path: string): void {
  if (path === '') throw invalid('the path must name a file');
  if (Buffer.byteLength(path) > GIT_LIMITS.treePathBytesMax)
    throw invalid(`a path has at most ${GIT_LIMITS.treePathBytesMax} bytes`);
  if (!isPlainLine(path)) throw invalid('the path must be one line without control characters');
}
