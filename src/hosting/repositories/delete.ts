import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { Signal } from '../../base/core/signal.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { REPOSITORY } from './actions.ts';
import { requirePermitted } from './authorize.ts';
import { REPOSITORY_DELETED } from './events.ts';
import type { Repository } from './model.ts';
import { uncountFork } from './store/forks.ts';
import { deleteRepository, findRepositoryById, findWikiId, listOwnedBy } from './store/records.ts';
import { lockName } from './store/redirects.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly organizations: Organizations;
}

/** Deletes repositories, each with all rows that belong to it. The next sweep deletes its files. */
export class RepositoryDeletion {
  /** before the rows of a repository are deleted, in the same transaction */
  readonly deleted = new Signal<[tx: Tx, id: RepositoryId]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @param found the authorized repository
   * @throws ForgeError as `Repositories.get` if the rights have changed meanwhile; `forbidden` if the organization leaves
   *   deletions to its owners; `busy` if it was transferred or got its wiki
   */
  async delete(viewer: Viewer, { id, owner }: Pick<Repository, 'id' | 'owner'>): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      requirePermitted(viewer, await findRepositoryById(tx, viewer, id), REPOSITORY.delete);
      if (owner.kind === 'organization') await this.#use.organizations.requireMayDelete(tx, viewer, owner.id);
      await this.#remove(tx, { id, owner, actorId: viewer.accountId });
    });
  }

  /**
   * Deletes all repositories of an account that is about to be deleted.
   *
   * @throws ForgeError `busy`
   */
  async removeAllOf(
    tx: Tx,
    owner: { id: number; name: string },
    options: { actorId: number | null },
  ): Promise<void> {
    for (const { id } of await listOwnedBy(tx, owner.id)) await this.#remove(tx, { id, owner, ...options });
  }

  async #remove(
    tx: Tx,
    gone: { id: RepositoryId; owner: { id: number; name: string }; actorId: number | null },
  ): Promise<void> {
    const { id, owner, actorId } = gone;
    // Takes locks in the same order as a push, so that the two cannot deadlock.
    await this.#use.git.refs.remove(id, tx);
    const wikiId = await findWikiId(tx, id);
    if (typeof wikiId === 'number') await this.#use.git.refs.remove(wikiId, tx);
    const place = await lockName(tx, id);
    if (place === undefined) throw notFound('repository');
    if (place.ownerId !== owner.id) throw changedMeanwhile('transferred');
    if (place.wikiId !== wikiId) throw changedMeanwhile('given its wiki');
    await this.deleted.notify(tx, id);
    await uncountFork(tx, id);
    await deleteRepository(tx, id);
    await insertEvent(tx, REPOSITORY_DELETED, {
      actorId,
      repositoryId: id,
      payload: { name: `${owner.name}/${place.name}` },
      place: { ownerId: owner.id, owner: owner.name, repository: place.name },
    });
  }
}

/** A new owner has not requested the deletion, and a new wiki must not stay without its repository. */
function changedMeanwhile(how: string): ForgeError {
  const what = `the repository was ${how} at the same time: try again`;
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 1 });
}
