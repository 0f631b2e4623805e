import type { RepositoryAction } from '../access/actions.ts';
import { reaches } from '../access/levels.ts';
import type { SignedIn, Viewer } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import { isPossibleAccountName } from '../accounts/names.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid, MovedError, notFound } from '../core/failure.ts';
import type { Page, Paging } from '../core/paging.ts';
import type { Database, Db, Tx } from '../database/database.ts';
import type { GitStorage, RepositoryId } from '../git/model.ts';
import type { Addresses } from '../http/app.ts';
import type { Templates } from '../templates/service.ts';
import { REPOSITORY } from './actions.ts';
import { requireHeld } from './authorize.ts';
import { Collaborators } from './collaborators/service.ts';
import { RepositoryCreation } from './creation/create.ts';
import type { ForkRequest } from './creation/fork.ts';
import type { CreationRequest } from './creation/model.ts';
import type { SiteRules } from './creation/site-rules.ts';
import { RepositoryDeletion } from './delete.ts';
import { ListPlanner } from './listing/plan.ts';
import type { RepositoryOrder, RepositorySelection } from './listing/selection.ts';
import {
  EMPTY_START,
  type HeldRepository,
  type NewRepository,
  type RepositoryPath,
  type Start,
} from './model.ts';
import { isPossibleRepositoryName } from './names.ts';
import { RepositorySettings } from './settings/edit.ts';
import { listAssignees, listReviewers } from './store/assignable.ts';
import { listStarredBy, listWatchedBy } from './store/lists.ts';
import { lockRepository } from './store/push-state.ts';
import {
  findRepository,
  findRepositoryById,
  findRepositoryId,
  listRepositoriesById,
  listRepositoryIds,
} from './store/records.ts';
import { findNewPath } from './store/redirects.ts';
import { isWithoutTrigrams } from './store/trigrams.ts';
import type { BranchWriter } from './write-branch.ts';

export class Repositories {
  readonly collaborators: Collaborators;
  readonly creation: RepositoryCreation;
  readonly deletion: RepositoryDeletion;
  readonly settings: RepositorySettings;
  readonly #database: Database;
  readonly #accounts: Accounts;
  readonly #planner = new ListPlanner();

  constructor(dependencies: {
    database: Database;
    git: GitStorage;
    accounts: Accounts;
    branches: BranchWriter;
    siteRules: SiteRules;
    templates: Templates;
    addresses: Addresses;
  }) {
    const { database, accounts } = dependencies;
    this.#database = database;
    this.#accounts = accounts;
    this.creation = new RepositoryCreation(dependencies);
    this.deletion = new RepositoryDeletion(dependencies);
    const get = this.get.bind(this);
    this.collaborators = new Collaborators({ database, accounts, get, lock: this.lock.bind(this) });
    this.settings = new RepositorySettings({ ...dependencies, get });
  }

  /**
   * Looks a repository up and authorizes `action` on it, in one call: nobody holds an unchecked one.
   *
   * @throws ForgeError `not_found` (missing or hidden; as `MovedError` where it is in another place now),
   *   `unauthenticated`, `forbidden`
   */
  async get(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<HeldRepository> {
    if (!isPossiblePath(path)) throw notFound('repository');
    const found = await findRepository(this.#database.reader, viewer, path);
    return requireHeld(viewer, found ?? (await this.#findAgain(viewer, path)), action);
  }

  /**
   * The same for a repository that is known by its id, whatever it is called now.
   *
   * @throws ForgeError as `get`
   */
  async getById(viewer: Viewer, id: RepositoryId, action: RepositoryAction): Promise<HeldRepository> {
    return requireHeld(viewer, await findRepositoryById(this.#database.reader, viewer, id), action);
  }

  /**
   * The same inside a transaction, until the end of which the repository stays as it is: what was granted when the
   * request came in may have been taken back meanwhile.
   *
   * @throws ForgeError as `get`
   */
  async lock(tx: Tx, viewer: Viewer, id: RepositoryId, action: RepositoryAction): Promise<HeldRepository> {
    if (!(await lockRepository(tx, id))) throw notFound('repository');
    return requireHeld(viewer, await findRepositoryById(tx, viewer, id), action);
  }

  /** Finds a repository by id, without authorizing an action; undefined if missing or hidden from the viewer. */
  find(db: Db, viewer: Viewer, id: RepositoryId): Promise<HeldRepository | undefined> {
    return findRepositoryById(db, viewer, id);
  }

  /** Whether there is a repository at a place that the viewer may know of. */
  async isSeen(viewer: Viewer, path: RepositoryPath): Promise<boolean> {
    if (!isPossiblePath(path)) return false;
    const found = await findRepository(this.#database.reader, viewer, path);
    return found !== undefined && reaches(found.level, 'read');
  }

  /** @throws MovedError where it or its owner was renamed, or it was given away, and the viewer may see it */
  async #findAgain(viewer: Viewer, path: RepositoryPath): Promise<HeldRepository | undefined> {
    const to = await findNewPath(this.#database.reader, viewer, path);
    if (to === undefined) return undefined;
    // It was made just now: sent on to where it is, a client would come back here.
    if (isSamePath(path, to)) return findRepository(this.#database.reader, viewer, path);
    const owner = { from: path.owner, to: to.owner };
    throw new MovedError('repository', owner, { from: path.name, to: to.name });
  }

  /** Those of a selection that the viewer may see. */
  async list(viewer: Viewer, selection: RepositorySelection, paging: Paging): Promise<Page<HeldRepository>> {
    const db = this.#database.reader;
    const { items, total } = await this.#planner.list(db, viewer, selection, paging);
    return { items: await listRepositoriesById(db, viewer, items), total };
  }

  /** Whether a search reads all texts, since the database could not be given an index of them. */
  isWithoutTextIndex(): Promise<boolean> {
    return isWithoutTrigrams(this.#database.reader);
  }

  /** Those the viewer owns, collaborates on or has by a team. */
  listOwn(viewer: SignedIn, order: RepositoryOrder, paging: Paging): Promise<Page<HeldRepository>> {
    return this.list(viewer, { of: { accountId: viewer.accountId, part: 'both' }, order }, paging);
  }

  /** Those of one owner, who was looked up for the viewer, that the viewer may see. */
  listOf(viewer: Viewer, ownerId: number, paging: Paging): Promise<Page<HeldRepository>> {
    return this.list(viewer, { of: { accountId: ownerId, part: 'owned' } }, paging);
  }

  /** @throws ForgeError as `get` */
  async listAssignees(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.get(viewer, path, REPOSITORY.listAssignable);
    return listAssignees(this.#database.reader, viewer, repository.id, paging);
  }

  /** @throws ForgeError as `get` */
  async listReviewers(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PublicAccount>> {
    const { repository } = await this.get(viewer, path, REPOSITORY.listAssignable);
    return listReviewers(this.#database.reader, viewer, repository.id, paging);
  }

  /** Those that an account has starred and the viewer may see. */
  listStarredBy(viewer: Viewer, accountId: number, paging: Paging): Promise<Page<HeldRepository>> {
    return listStarredBy(this.#database.reader, viewer, accountId, paging);
  }

  /** Those that an account watches and the viewer may see. */
  listWatchedBy(viewer: Viewer, accountId: number, paging: Paging): Promise<Page<HeldRepository>> {
    return listWatchedBy(this.#database.reader, viewer, accountId, paging);
  }

  /**
   * Makes a repository that belongs to the viewer. What it starts with is part of the same change: there is either all
   * of it or nothing.
   *
   * @throws ForgeError `invalid`, `conflict`, `forbidden`
   */
  async create(viewer: SignedIn, wanted: NewRepository, start: Start = EMPTY_START): Promise<HeldRepository> {
    const owner = await this.#accounts.get(viewer.accountId);
    if (owner.kind !== 'user')
      throw invalid('an organization makes no repositories of its own: name it as their owner');
    return this.createFor({ viewer, owner, wanted }, start);
  }

  /**
   * The same for an owner whom the viewer was found to be allowed to make it for.
   *
   * @throws ForgeError as `create`
   */
  async createFor(creation: CreationRequest, start: Start = EMPTY_START): Promise<HeldRepository> {
    const id = await this.creation.create(creation, start);
    const made = await findRepositoryById(this.#database.reader, creation.viewer, id);
    if (made === undefined) throw notFound('repository');
    return made;
  }

  /**
   * Makes a fork for an owner whom the viewer was found to be allowed to make it for.
   *
   * @throws ForgeError as `get` and `create`, and `conflict` where the owner has a fork of it already
   */
  async fork(forking: Omit<ForkRequest, 'lockParent'>): Promise<HeldRepository> {
    const { viewer, parentId } = forking;
    const lockParent = async (tx: Tx) => {
      const { repository } = await this.lock(tx, viewer, parentId, REPOSITORY.fork);
      return repository;
    };
    const id = await this.creation.fork({ ...forking, lockParent });
    const made = await findRepositoryById(this.#database.reader, viewer, id);
    if (made === undefined) throw notFound('repository');
    return made;
  }

  /** Those forks of a repository, which was looked up for the viewer, that the viewer may see. */
  listForks(viewer: Viewer, parentId: RepositoryId, paging: Paging): Promise<Page<HeldRepository>> {
    return this.list(viewer, { parentId }, paging);
  }

  /** Clears away what is left of repositories whose making was cut off more than `graceMs` ago. */
  sweepAbandoned(graceMs: number): Promise<void> {
    return this.creation.sweepAbandoned(graceMs);
  }

  /** @throws ForgeError as `get`, and `busy` where it is given to somebody else meanwhile */
  async delete(viewer: Viewer, path: RepositoryPath): Promise<void> {
    const { repository } = await this.get(viewer, path, REPOSITORY.delete);
    await this.deletion.delete(viewer, repository);
  }

  /** Removes all that an account owns which is about to go itself. */
  removeAllOf(
    tx: Tx,
    owner: { id: number; name: string },
    options: { actorId: number | null },
  ): Promise<void> {
    return this.deletion.removeAllOf(tx, owner, options);
  }

  /** Of every repository there is, for checks over all of them. */
  listIds(): Promise<readonly RepositoryId[]> {
    return listRepositoryIds(this.#database.reader);
  }

  /** Whoever asks: for commands on the machine itself. */
  async findId(path: RepositoryPath): Promise<RepositoryId | undefined> {
    return isPossiblePath(path) ? findRepositoryId(this.#database.reader, path) : undefined;
  }
}

function isSamePath(one: RepositoryPath, other: RepositoryPath): boolean {
  const inLowerCase = ({ owner, name }: RepositoryPath) => `${owner}/${name}`.toLowerCase();
  return inLowerCase(one) === inLowerCase(other);
}

function isPossiblePath(path: RepositoryPath): boolean {
  return isPossibleAccountName(path.owner) && isPossibleRepositoryName(path.name);
}
