import type { RepositoryAction } from '../../../api/access/actions.ts';
import { type Permissions, reaches } from '../../../api/access/levels.ts';
import { BY_PASSWORD, type Viewer, viewerOf } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { Signal } from '../../../base/core/signal.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { rethrowGone } from '../../../base/database/gone.ts';
import { insertEvent, insertEvents } from '../../../base/events/store.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { lockKind, requireNotBlocked } from '../../../people/accounts/locks.ts';
import type { Account } from '../../../people/accounts/model.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { COLLABORATOR } from '../actions.ts';
import { COLLABORATOR_CHANGED, COLLABORATOR_REMOVED } from '../events.ts';
import type {
  CollaborationLevel,
  Collaborator,
  PermittedRepository,
  Repository,
  RepositoryPath,
} from '../model.ts';
import {
  deleteCollaboration,
  deleteCollaborationsWith,
  findCollaborationLevel,
  listCollaborators,
  setCollaboration,
} from '../store/collaborators.ts';
import { findRepositoryById } from '../store/records.ts';

interface Collaboration {
  readonly repositoryId: RepositoryId;
  readonly accountId: number;
}

type Lock = (
  tx: Tx,
  viewer: Viewer,
  id: RepositoryId,
  action: RepositoryAction,
) => Promise<PermittedRepository>;

/** Looks up a repository and authorizes an action on it. */
type Look = (viewer: Viewer, path: RepositoryPath, action: RepositoryAction) => Promise<PermittedRepository>;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly get: Look;
  readonly lock: Lock;
}

/** Reads and changes the collaborators of repositories. */
export class Collaborators {
  readonly removed = new Signal<[tx: Tx, removed: Collaboration]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<Collaborator>> {
    const { repository } = await this.#use.get(viewer, path, COLLABORATOR.list);
    return listCollaborators(this.#use.database.reader, viewer, repository.id, paging);
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` if the account is not a collaborator */
  async getLevel(viewer: Viewer, path: RepositoryPath, name: string): Promise<CollaborationLevel> {
    const { repository } = await this.#use.get(viewer, path, COLLABORATOR.list);
    const account = await this.#use.accounts.getByName(viewer, name);
    const level = await findCollaborationLevel(this.#use.database.reader, repository.id, account.id);
    if (level === undefined) throw notFound('collaborator');
    return level;
  }

  /**
   * Returns the level of a user on the repository, from any source. Users may ask for their own, administrators of the
   * repository for anyone's.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async getPermission(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
  ): Promise<{ account: Account; level: Permissions['level'] }> {
    const { repository, level } = await this.#use.get(viewer, path, COLLABORATOR.readPermission);
    const account = await this.#use.accounts.getByName(viewer, name);
    if (account.id !== viewer.accountId && !reaches(level, 'admin')) {
      throw forbidden('only administrators of the repository see what others may do');
    }
    const theirs = await findRepositoryById(
      this.#use.database.reader,
      viewerOf(account, BY_PASSWORD),
      repository.id,
    );
    return { account, level: theirs?.level ?? 'none' };
  }

  /**
   * @throws ForgeError as `Repositories.get`; `invalid` for the owner and for organizations; `forbidden` for a user whom the
   *   owner has blocked
   */
  async set(viewer: Viewer, path: RepositoryPath, name: string, level: CollaborationLevel): Promise<void> {
    const { repository } = await this.#use.get(viewer, path, COLLABORATOR.change);
    const account = await this.#use.accounts.getByName(viewer, name);
    const accountId = account.id;
    await this.#use.database
      .transaction(async (tx) => {
        // Before the repository, as a block does it.
        await lockKind(tx, accountId);
        const locked = await this.#use.lock(tx, viewer, repository.id, COLLABORATOR.change);
        requirePossible(account, locked.repository);
        const pair = { blockerId: locked.repository.owner.id, accountId };
        await requireNotBlocked(tx, pair, 'the owner of the repository has blocked this user');
        const before = await findCollaborationLevel(tx, repository.id, accountId);
        if (before === level) return;
        await setCollaboration(tx, { repositoryId: repository.id, accountId, level, at: currentTimeMs() });
        await insertEvent(tx, COLLABORATOR_CHANGED, {
          actorId: viewer.accountId,
          repositoryId: repository.id,
          payload: { accountId, level },
          former: { level: before ?? 'none' },
        });
      })
      .catch(rethrowGone('account or repository'));
  }

  /**
   * Removes a user from all repositories of an owner who has blocked the user.
   *
   * @param actorId of the viewer who blocks
   */
  async removeBlocked(
    tx: Tx,
    { blockerId, accountId, actorId }: { blockerId: number; accountId: number; actorId: number | null },
  ): Promise<void> {
    const ids = await deleteCollaborationsWith(tx, { ownerId: blockerId, accountId });
    for (const repositoryId of ids) await this.removed.notify(tx, { repositoryId, accountId });
    const events = ids.map((repositoryId) => ({ actorId, repositoryId, payload: { accountId } }));
    if (events.length > 0) await insertEvents(tx, COLLABORATOR_REMOVED, events);
  }

  /** Removes a collaborator. Does nothing if the user is not one. */
  async remove(viewer: Viewer, path: RepositoryPath, name: string): Promise<void> {
    const { repository } = await this.#use.get(viewer, path, COLLABORATOR.change);
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    await this.#use.database.transaction(async (tx) => {
      await this.#use.lock(tx, viewer, repository.id, COLLABORATOR.change);
      const level = await deleteCollaboration(tx, repository.id, accountId);
      if (level === undefined) return;
      await this.removed.notify(tx, { repositoryId: repository.id, accountId });
      await insertEvent(tx, COLLABORATOR_REMOVED, {
        actorId: viewer.accountId,
        repositoryId: repository.id,
        payload: { accountId },
        former: { level },
      });
    });
  }
}

/** @throws ForgeError `invalid` */
function requirePossible(account: Account, repository: Repository): void {
  if (account.id === repository.owner.id) throw invalid('the owner cannot be a collaborator');
  if (account.kind !== 'user') throw invalid('only a user can be a collaborator');
}
