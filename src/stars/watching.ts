import type { SignedIn, Viewer } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { lockKind, lockUser } from '../accounts/starred.ts';
import { notFound } from '../core/failure.ts';
import type { Page, Paging } from '../core/paging.ts';
import type { Database, Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { RepositoryId } from '../git/model.ts';
import { changeCounts } from '../repositories/derived.ts';
import type { HeldRepository, Repository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { isActivityTold } from './activity.ts';
import { deleteBlindWatches, deleteWatch, hasWatch, insertWatch, listWatchers } from './store.ts';

/** Who wants to hear of everything in a repository: whoever made it, and whoever has asked for it. */
export class Watching {
  readonly #database: Database;
  readonly #repositories: Repositories;
  readonly #accounts: Accounts;

  constructor(dependencies: { database: Database; repositories: Repositories; accounts: Accounts }) {
    this.#database = dependencies.database;
    this.#repositories = dependencies.repositories;
    this.#accounts = dependencies.accounts;
    const { collaborators } = this.#repositories;
    this.#repositories.onCreated((tx, { repositoryId, makerId }) =>
      this.#watchMade(tx, repositoryId, makerId),
    );
    collaborators.onRemoved((tx, { repositoryId }) => this.#removeBlind(tx, repositoryId));
    this.#repositories.onVisibilityChanged((tx, { repositoryId }) => this.#removeBlind(tx, repositoryId));
  }

  async #watchMade(tx: Tx, repositoryId: RepositoryId, makerId: number): Promise<void> {
    // An administrator may act as an organization, which watches nothing.
    if ((await lockKind(tx, makerId)) !== 'user') return;
    if (!(await insertWatch(tx, { accountId: makerId, repositoryId }))) return;
    await changeCounts(tx, repositoryId, { watchers: 1 });
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` where the viewer does not watch it */
  async require(viewer: SignedIn, path: RepositoryPath): Promise<Repository> {
    const { repository } = await this.#repositories.get(viewer, path, 'watch.read');
    const mark = { accountId: viewer.accountId, repositoryId: repository.id };
    if (!(await hasWatch(this.#database.reader, mark))) throw notFound('subscription');
    return repository;
  }

  /** @throws ForgeError as `Repositories.get`, and `invalid` for an organization */
  add(viewer: SignedIn, path: RepositoryPath): Promise<Repository> {
    return this.#change(viewer, path, true);
  }

  /** @throws ForgeError as `add` */
  async remove(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    await this.#change(viewer, path, false);
  }

  async #change(viewer: SignedIn, path: RepositoryPath, isAdded: boolean): Promise<Repository> {
    const { repository } = await this.#repositories.get(viewer, path, 'watch.change');
    const { accountId } = viewer;
    const mark = { accountId, repositoryId: repository.id };
    await this.#database.transaction(async (tx) => {
      await this.#repositories.lock(tx, viewer, repository.id, 'watch.change');
      await lockUser(tx, accountId);
      if (!(await (isAdded ? insertWatch(tx, mark) : deleteWatch(tx, mark)))) return;
      await changeCounts(tx, repository.id, { watchers: isAdded ? 1 : -1 });
      const kind = isAdded ? 'repository.watched' : 'repository.unwatched';
      await insertEvent(tx, {
        kind,
        actorId: accountId,
        repositoryId: repository.id,
        payload: { accountId },
      });
    });
    return repository;
  }

  /**
   * Ends the watches of those who do not see the repository any more. Whoever loses it in another way (by a team, by the
   * visibility of its owner) is left out of every list as long as that lasts.
   */
  async #removeBlind(tx: Tx, repositoryId: RepositoryId): Promise<void> {
    const count = await deleteBlindWatches(tx, repositoryId);
    if (count > 0) await changeCounts(tx, repositoryId, { watchers: -count });
  }

  /** @throws ForgeError as `Repositories.get` */
  async listWatchers(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.#repositories.get(viewer, path, 'watch.list');
    return listWatchers(this.#database.reader, viewer, repository.id, paging);
  }

  /**
   * What somebody watches and the viewer may see: nothing where they keep it to themselves.
   *
   * @throws ForgeError as `Accounts.getByName`
   */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<HeldRepository>> {
    const account = await this.#accounts.getByName(viewer, name);
    if (!isActivityTold(viewer, account)) return { items: [], total: 0 };
    return this.#repositories.listWatchedBy(viewer, account.id, paging);
  }

  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<HeldRepository>> {
    return this.#repositories.listWatchedBy(viewer, viewer.accountId, paging);
  }
}
