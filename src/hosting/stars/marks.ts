import type { RepositoryAction } from '../../api/access/actions.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { EventKind } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockUser } from '../../people/accounts/locks.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { isActivityVisible } from './activity.ts';
import type { Mark, MarkRows } from './store.ts';

/** The differences between stars and watches. */
interface MarkKind {
  /** the kind's name in errors */
  readonly what: string;
  readonly actions: Readonly<Record<'read' | 'change' | 'list', RepositoryAction>>;
  readonly events: Readonly<Record<'added' | 'removed', EventKind<{ accountId: number }>>>;
  readonly rows: MarkRows;
  /** Updates the counts of marks. */
  readonly count: (tx: Tx, mark: Mark, by: 1 | -1) => Promise<void>;
  /** Lists the repositories that an account has marked and the viewer may see. */
  readonly listBy: (viewer: Viewer, accountId: number, paging: Paging) => Promise<Page<PermittedRepository>>;
}

export interface MarkDependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
}

/** Adds, removes and lists the stars or the watches of repositories. A user has at most one of each per repository. */
export class Marks {
  readonly #use: MarkDependencies;
  readonly #kind: MarkKind;

  constructor(dependencies: MarkDependencies, kind: MarkKind) {
    this.#use = dependencies;
    this.#kind = kind;
  }

  /**
   * Returns a repository that the viewer has marked.
   *
   * @throws ForgeError as `Repositories.get`, and `not_found` if the viewer has not marked it
   */
  async require(viewer: SignedIn, path: RepositoryPath): Promise<Repository> {
    const { what, actions, rows } = this.#kind;
    const { repository } = await this.#use.repositories.get(viewer, path, actions.read);
    const mark = { accountId: viewer.accountId, repositoryId: repository.id };
    if (!(await rows.has(this.#use.database.reader, mark))) throw notFound(what);
    return repository;
  }

  /** Whether the viewer has marked a repository that was looked up for them. */
  has(viewer: SignedIn, { id: repositoryId }: Pick<Repository, 'id'>): Promise<boolean> {
    return this.#kind.rows.has(this.#use.database.reader, { accountId: viewer.accountId, repositoryId });
  }

  /**
   * Adds the viewer's mark. Does nothing if the viewer has already marked the repository.
   *
   * @throws ForgeError as `Repositories.get`, and `invalid` for an organization
   */
  add(viewer: SignedIn, path: RepositoryPath): Promise<Repository> {
    return this.#change(viewer, path, true);
  }

  /** @throws ForgeError as `add` */
  async remove(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    await this.#change(viewer, path, false);
  }

  async #change(viewer: SignedIn, path: RepositoryPath, isAdded: boolean): Promise<Repository> {
    const { actions, rows, events, count } = this.#kind;
    const { repository } = await this.#use.repositories.get(viewer, path, actions.change);
    const { accountId } = viewer;
    const mark = { accountId, repositoryId: repository.id };
    await this.#use.database.transaction(async (tx) => {
      // Before the repository, as a block does it: then the authorization knows a block that was set meanwhile.
      await lockUser(tx, accountId);
      await this.#use.repositories.lock(tx, viewer, repository.id, actions.change);
      if (!(await (isAdded ? rows.insert(tx, mark) : rows.delete(tx, mark)))) return;
      await count(tx, mark, isAdded ? 1 : -1);
      await insertEvent(tx, isAdded ? events.added : events.removed, {
        actorId: accountId,
        repositoryId: repository.id,
        payload: { accountId },
      });
    });
    return repository;
  }

  /** @throws ForgeError as `Repositories.get` */
  async listPeople(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { actions, rows } = this.#kind;
    const { repository } = await this.#use.repositories.get(viewer, path, actions.list);
    return rows.listPeople(this.#use.database.reader, viewer, repository.id, paging);
  }

  /**
   * Lists the repositories that a user has marked and the viewer may see; none if the user hides their activity.
   *
   * @throws ForgeError as `Accounts.getByName`
   */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<PermittedRepository>> {
    const account = await this.#use.accounts.getByName(viewer, name);
    if (!isActivityVisible(viewer, account)) return { items: [], total: 0 };
    return this.#kind.listBy(viewer, account.id, paging);
  }

  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<PermittedRepository>> {
    return this.#kind.listBy(viewer, viewer.accountId, paging);
  }
}
