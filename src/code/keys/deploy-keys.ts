import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { DEPLOY_KEY } from './actions.ts';
import { DEPLOY_KEY_CREATED, DEPLOY_KEY_DELETED } from './events.ts';
import { KEY_LIMITS } from './limits.ts';
import type { DeployKeyFilter, DeployKeyIn } from './model.ts';
import { parseSshKey } from './ssh/parse-line.ts';
import {
  countDeployKeys,
  deleteDeployKey,
  deleteDeployKeysOf,
  findClash,
  findDeployKey,
  insertDeployKey,
  listDeployKeys,
  lockSharedKey,
} from './store/deploy-keys.ts';
import { keyTitleOf } from './titles.ts';

interface NewDeployKey {
  readonly text: string;
  readonly title: string;
  readonly isReadOnly: boolean;
}

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Keys that give access to one repository each. Several repositories may have the same key. */
export class DeployKeys {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: DeployKeyFilter,
    paging: Paging,
  ): Promise<Page<DeployKeyIn>> {
    const permitted = await this.#use.repositories.get(viewer, path, DEPLOY_KEY.read);
    if (!isPlainLine(filter.fingerprint ?? '')) return { items: [], total: 0 };
    const { items, total } = await listDeployKeys(
      this.#use.database.reader,
      permitted.repository.id,
      filter,
      paging,
    );
    return { items: items.map((key) => ({ ...key, permitted })), total };
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for a missing key */
  async get(viewer: Viewer, path: RepositoryPath, id: number): Promise<DeployKeyIn> {
    return this.#find(await this.#use.repositories.get(viewer, path, DEPLOY_KEY.read), id);
  }

  async #find(permitted: PermittedRepository, id: number): Promise<DeployKeyIn> {
    const key = await findDeployKey(this.#use.database.reader, permitted.repository.id, id);
    if (key === undefined) throw notFound('key');
    return { ...key, permitted };
  }

  /** @throws ForgeError as `Repositories.get`; `archived`; `invalid` */
  async add(viewer: SignedIn, path: RepositoryPath, wanted: NewDeployKey): Promise<DeployKeyIn> {
    const permitted = await this.#use.repositories.get(viewer, path, DEPLOY_KEY.change);
    const { isReadOnly } = wanted;
    const key = { ...parseSshKey(wanted.text), title: keyTitleOf(wanted.title) };
    const id = await this.#use.database.transaction(async (tx) => {
      const { repository } = await this.#use.repositories.lock(
        tx,
        viewer,
        permitted.repository.id,
        DEPLOY_KEY.change,
      );
      requireNotArchived({ repository });
      if ((await countDeployKeys(tx, repository.id)) >= KEY_LIMITS.deployKeysPerRepositoryMax) {
        throw invalid(`a repository has at most ${KEY_LIMITS.deployKeysPerRepositoryMax} deploy keys`);
      }
      const clash = await findClash(tx, repository.id, key);
      if (clash.key) throw invalid('This key has already been added to this repository');
      if (clash.title) throw invalid('A key with the same name already exists');
      const keyId = await lockSharedKey(tx, key);
      if (keyId === undefined) throw invalid('Key content has been used as non-deploy key');
      const { title, fingerprint } = key;
      const { accountId: addedById } = viewer;
      const deployKeyId = await insertDeployKey(tx, repository.id, { keyId, title, isReadOnly, addedById });
      await insertEvent(tx, DEPLOY_KEY_CREATED, {
        actorId: viewer.accountId,
        repositoryId: repository.id,
        payload: { deployKeyId, fingerprint, isReadOnly, title },
      });
      return deployKeyId;
    });
    return this.#find(permitted, id);
  }

  /** @throws ForgeError as `get`. The key of an archived repository can be deleted, to take its access away */
  async delete(viewer: SignedIn, path: RepositoryPath, id: number): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, DEPLOY_KEY.change);
    await this.#use.database.transaction(async (tx) => {
      await this.#use.repositories.lock(tx, viewer, repository.id, DEPLOY_KEY.change);
      const key = await findDeployKey(tx, repository.id, id);
      if (key === undefined) throw notFound('key');
      await deleteDeployKey(tx, key);
      const { fingerprint, isReadOnly } = key;
      await insertEvent(tx, DEPLOY_KEY_DELETED, {
        actorId: viewer.accountId,
        repositoryId: repository.id,
        payload: { deployKeyId: id, fingerprint, isReadOnly },
      });
    });
  }

  /** Deletes the deploy keys of a repository that is about to be deleted. */
  removeAllOf(tx: Tx, id: RepositoryId): Promise<void> {
    return deleteDeployKeysOf(tx, id);
  }
}

/** @throws ForgeError `archived` */
function requireNotArchived({
  repository: { archivedAt, owner, name },
}: Pick<PermittedRepository, 'repository'>): void {
  if (archivedAt === null) return;
  throw new ForgeError({ kind: 'archived', what: `the repository ${owner.name}/${name} is archived` });
}
