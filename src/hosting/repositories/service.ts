import type { RepositoryAction } from '../../api/access/actions.ts';
import { reaches } from '../../api/access/levels.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, MovedError, notFound } from '../../base/core/failure.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses } from '../../http/app.ts';
import { isPossibleAccountName } from '../../people/accounts/names.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Templates } from '../templates/service.ts';
import { REPOSITORY } from './actions.ts';
import { isGranted, requirePermitted } from './authorize.ts';
import { RepositoryPeople } from './collaborators/people.ts';
import { Collaborators } from './collaborators/service.ts';
import { RepositoryCreation } from './creation/create.ts';
import type { ForkRequest } from './creation/fork.ts';
import type { CreationRequest } from './creation/model.ts';
import { RepositoryDeletion } from './delete.ts';
import { RepositoryLists } from './listing/lists.ts';
import {
  EMPTY_START,
  type NewRepository,
  type PermittedRepository,
  type RepositoryPath,
  type Start,
} from './model.ts';
import { isPossibleRepositoryName } from './names.ts';
import type { BranchWriter } from './refs/write-branch.ts';
import { RepositorySettings } from './settings/edit.ts';
import type { SiteRules } from './site-rules.ts';
import { findRelative, listFamily } from './store/forks.ts';
import { lockRepository } from './store/push-state.ts';
import {
  findRepository,
  findRepositoryById,
  findRepositoryId,
  findRepositoryOfWiki,
  findWikiId,
  listRepositoriesById,
  listRepositoryIds,
  listWikiIds,
} from './store/records.ts';
import { findNewPath } from './store/redirects.ts';

export class Repositories {
  readonly collaborators: Collaborators;
  readonly creation: RepositoryCreation;
  readonly deletion: RepositoryDeletion;
  readonly lists: RepositoryLists;
  readonly people: RepositoryPeople;
  readonly settings: RepositorySettings;
  readonly #database: Database;
  readonly #accounts: Accounts;

  constructor(dependencies: {
    database: Database;
    git: Pick<GitStorage, 'refs' | 'writes'>;
    accounts: Accounts;
    organizations: Organizations;
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
    this.lists = new RepositoryLists(dependencies);
    const get = this.get.bind(this);
    this.people = new RepositoryPeople({ database, get });
    this.collaborators = new Collaborators({ database, accounts, get, lock: this.lock.bind(this) });
    this.settings = new RepositorySettings({ ...dependencies, get });
  }

  /**
   * Looks up a repository and authorizes `action` on it in one call, so no code holds an unauthorized one.
   *
   * @throws ForgeError `not_found` (missing or hidden; as `MovedError` if it has a new path),
   *   `unauthenticated`, `forbidden`
   */
  async get(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<PermittedRepository> {
    if (!isPossiblePath(path)) throw notFound('repository');
    const found = await findRepository(this.#database.reader, viewer, path);
    return requirePermitted(viewer, found ?? (await this.#findAgain(viewer, path)), action);
  }

  /**
   * Looks up a repository by its id and authorizes `action` on it.
   *
   * @throws ForgeError as `get`
   */
  async getById(viewer: Viewer, id: RepositoryId, action: RepositoryAction): Promise<PermittedRepository> {
    return requirePermitted(viewer, await findRepositoryById(this.#database.reader, viewer, id), action);
  }

  /**
   * Locks a repository and authorizes `action` again in a transaction, because rights may have changed since the
   * request came in.
   *
   * @throws ForgeError as `get`
   */
  async lock(
    tx: Tx,
    viewer: Viewer,
    id: RepositoryId,
    action: RepositoryAction,
  ): Promise<PermittedRepository> {
    if (!(await lockRepository(tx, id))) throw notFound('repository');
    return requirePermitted(viewer, await findRepositoryById(tx, viewer, id), action);
  }

  /** Finds a repository by id, without authorizing an action; undefined if missing or hidden from the viewer. */
  async find(db: Db, viewer: Viewer, id: RepositoryId): Promise<PermittedRepository | undefined> {
    const found = await findRepositoryById(db, viewer, id);
    return found !== undefined && reaches(found.level, 'read') ? found : undefined;
  }

  /** Finds repositories by id, without authorizing an action. Leaves out those that are missing or hidden. */
  async findSeveral(
    db: Db,
    viewer: Viewer,
    ids: readonly RepositoryId[],
  ): Promise<ReadonlyMap<RepositoryId, PermittedRepository>> {
    const found = await listRepositoriesById(db, viewer, [...new Set(ids)]);
    return new Map(found.map((permitted) => [permitted.repository.id, permitted]));
  }

  /** Finds a repository on which the viewer may do `action`; undefined for every other one. */
  async findFor(
    viewer: Viewer,
    path: RepositoryPath,
    action: RepositoryAction,
  ): Promise<PermittedRepository | undefined> {
    if (!isPossiblePath(path)) return undefined;
    const found = await findRepository(this.#database.reader, viewer, path);
    return found !== undefined && isGranted(viewer, found, action) ? found : undefined;
  }

  /** Whether a visible repository has this path. */
  async isSeen(viewer: Viewer, path: RepositoryPath): Promise<boolean> {
    if (!isPossiblePath(path)) return false;
    const found = await findRepository(this.#database.reader, viewer, path);
    return found !== undefined && reaches(found.level, 'read');
  }

  /** @throws MovedError if the repository or its owner was renamed, or it was transferred, and the viewer may see it */
  async #findAgain(viewer: Viewer, path: RepositoryPath): Promise<PermittedRepository | undefined> {
    const to = await findNewPath(this.#database.reader, viewer, path);
    if (to === undefined) return undefined;
    // The repository was created just now. A redirect would lead the client back here.
    if (isSamePath(path, to)) return findRepository(this.#database.reader, viewer, path);
    const owner = { from: path.owner, to: to.owner };
    throw new MovedError('repository', owner, { from: path.name, to: to.name });
  }

  /**
   * Creates a repository that belongs to the viewer, together with its first files and labels, or nothing.
   *
   * @throws ForgeError `invalid`, `conflict`, `forbidden`
   */
  async create(
    viewer: SignedIn,
    wanted: NewRepository,
    start: Start = EMPTY_START,
  ): Promise<PermittedRepository> {
    const owner = await this.#accounts.get(viewer.accountId);
    if (owner.kind !== 'user')
      throw invalid('an organization cannot create repositories: name it as the owner instead');
    return this.createFor({ viewer, owner, wanted }, start);
  }

  /**
   * Creates a repository for an owner. The caller has checked that the viewer may.
   *
   * @throws ForgeError as `create`
   */
  async createFor(creation: CreationRequest, start: Start = EMPTY_START): Promise<PermittedRepository> {
    const id = await this.creation.create(creation, start);
    const made = await findRepositoryById(this.#database.reader, creation.viewer, id);
    if (made === undefined) throw notFound('repository');
    return made;
  }

  /**
   * Creates a fork for an owner. The caller has checked that the viewer may.
   *
   * @throws ForgeError as `get` and `create`, and `conflict` if the owner already has a fork of it
   */
  async fork(forking: Omit<ForkRequest, 'lockParent'>): Promise<PermittedRepository> {
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

  /** @throws ForgeError as `get`, and `busy` if it is transferred meanwhile */
  async delete(viewer: Viewer, path: RepositoryPath): Promise<void> {
    const { repository } = await this.get(viewer, path, REPOSITORY.delete);
    await this.deletion.delete(viewer, repository);
  }

  /** Lists the ids of all repositories, for checks. */
  listIds(): Promise<readonly RepositoryId[]> {
    return listRepositoryIds(this.#database.reader);
  }

  /** Finds the repository that has a wiki, without authorization. */
  findIdByWiki(db: Db, wikiId: RepositoryId): Promise<RepositoryId | undefined> {
    return findRepositoryOfWiki(db, wikiId);
  }

  /** Lists the ids of the git repositories of all wikis, for checks. */
  listWikiIds(): Promise<readonly RepositoryId[]> {
    return listWikiIds(this.#database.reader);
  }

  /**
   * Finds the closest relative of a repository that an owner has, without authorization: a fork of it, its parent, or a
   * fork of its parent.
   */
  findRelative(id: RepositoryId, ownerName: string): Promise<RepositoryId | undefined> {
    return findRelative(this.#database.reader, id, ownerName.toLowerCase());
  }

  /** Lists the other repositories of a tree of forks, without authorization, for commands. */
  listFamily(id: RepositoryId): Promise<readonly RepositoryPath[]> {
    return listFamily(this.#database.reader, id);
  }

  /**
   * Finds git data without authorization, for commands: that of a repository, or with `.wiki` after its name that of its
   * wiki.
   */
  async findGitId({ owner, name }: RepositoryPath): Promise<RepositoryId | undefined> {
    const [base = '', ...isWiki] = name.split(/\.wiki$/i);
    const id = await this.findId({ owner, name: base });
    if (id === undefined || isWiki.length === 0) return id;
    return (await findWikiId(this.#database.reader, id)) ?? undefined;
  }

  /** Finds a repository without authorization, for commands. */
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
