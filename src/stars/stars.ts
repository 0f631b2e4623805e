import type { SignedIn, Viewer } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { countStarred, lockUser, uncountStarsOf } from '../accounts/starred.ts';
import { notFound } from '../core/failure.ts';
import type { Page, Paging } from '../core/paging.ts';
import type { Database, Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { RepositoryId } from '../git/model.ts';
import { changeCounts } from '../repositories/derived.ts';
import type { HeldRepository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { isActivityTold } from './activity.ts';
import { deleteStar, deleteStarsOf, hasStar, insertStar, listStargazers } from './store.ts';

/** Repositories that somebody wants to find again. */
export class Stars {
  readonly #database: Database;
  readonly #repositories: Repositories;
  readonly #accounts: Accounts;

  constructor(dependencies: { database: Database; repositories: Repositories; accounts: Accounts }) {
    this.#database = dependencies.database;
    this.#repositories = dependencies.repositories;
    this.#accounts = dependencies.accounts;
    this.#repositories.onDeleted(uncountStarsOf);
    this.#repositories.onVisibilityChanged(async (tx, { repositoryId, isPrivate }) => {
      if (isPrivate) await this.#removeAllOf(tx, repositoryId);
    });
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` where the viewer has not starred it */
  async require(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    const { repository } = await this.#repositories.get(viewer, path, 'star.read');
    const mark = { accountId: viewer.accountId, repositoryId: repository.id };
    if (!(await hasStar(this.#database.reader, mark))) throw notFound('star');
  }

  /**
   * Starring twice counts once.
   *
   * @throws ForgeError as `Repositories.get`, and `invalid` for an organization
   */
  add(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    return this.#change(viewer, path, true);
  }

  /** @throws ForgeError as `add` */
  remove(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    return this.#change(viewer, path, false);
  }

  async #change(viewer: SignedIn, path: RepositoryPath, isAdded: boolean): Promise<void> {
    const { repository } = await this.#repositories.get(viewer, path, 'star.change');
    const { accountId } = viewer;
    const mark = { accountId, repositoryId: repository.id };
    await this.#database.transaction(async (tx) => {
      await this.#repositories.lock(tx, viewer, repository.id, 'star.change');
      await lockUser(tx, accountId);
      if (!(await (isAdded ? insertStar(tx, mark) : deleteStar(tx, mark)))) return;
      const by = isAdded ? 1 : -1;
      await changeCounts(tx, repository.id, { stars: by });
      await countStarred(tx, accountId, by);
      const kind = isAdded ? 'repository.starred' : 'repository.unstarred';
      await insertEvent(tx, {
        kind,
        actorId: accountId,
        repositoryId: repository.id,
        payload: { accountId },
      });
    });
  }

  /** What has become private is nobody's to find again by a star. */
  async #removeAllOf(tx: Tx, repositoryId: RepositoryId): Promise<void> {
    await uncountStarsOf(tx, repositoryId);
    const count = await deleteStarsOf(tx, repositoryId);
    if (count > 0) await changeCounts(tx, repositoryId, { stars: -count });
  }

  /** @throws ForgeError as `Repositories.get` */
  async listStargazers(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.#repositories.get(viewer, path, 'star.list');
    return listStargazers(this.#database.reader, viewer, repository.id, paging);
  }

  /**
   * What somebody has starred and the viewer may see: nothing where they keep it to themselves.
   *
   * @throws ForgeError as `Accounts.getByName`
   */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<HeldRepository>> {
    const account = await this.#accounts.getByName(viewer, name);
    if (!isActivityTold(viewer, account)) return { items: [], total: 0 };
    return this.#repositories.listStarredBy(viewer, account.id, paging);
  }

  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<HeldRepository>> {
    return this.#repositories.listStarredBy(viewer, viewer.accountId, paging);
  }
}
