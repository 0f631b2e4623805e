import type { RepositoryAction } from '../../api/access/actions.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { ReleaseKey, StoredRelease } from './model.ts';
import { requireReleases } from './rules.ts';
import { findRelease } from './store/releases.ts';

/** Looks up repositories for what people do with their releases. */
export class ReleaseAccess {
  readonly #repositories: Repositories;

  constructor(repositories: Repositories) {
    this.#repositories = repositories;
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` if releases are switched off */
  async get(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<PermittedRepository> {
    return requireReleases(await this.#repositories.get(viewer, path, action));
  }

  /** As `get`, for a change. @throws ForgeError also `archived` */
  async open(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<PermittedRepository> {
    const permitted = await this.get(viewer, path, action);
    requireNotArchived(permitted.repository);
    return permitted;
  }

  /** Locks the repository, and authorizes again. @throws ForgeError as `open` */
  async lock(
    tx: Tx,
    viewer: SignedIn,
    id: RepositoryId,
    action: RepositoryAction,
  ): Promise<PermittedRepository> {
    const permitted = requireReleases(await this.#repositories.lock(tx, viewer, id, action));
    requireNotArchived(permitted.repository);
    return permitted;
  }
}

/** Finds a release, also a draft. @throws ForgeError `not_found` */
export async function requireStored(db: Db, id: RepositoryId, key: ReleaseKey): Promise<StoredRelease> {
  const found = await findRelease(db, id, key);
  if (found === undefined) throw notFound('release');
  return found;
}
