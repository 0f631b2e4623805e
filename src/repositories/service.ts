import { requireGranted } from '../access/guard.ts';
import { decide, type RepositoryAction } from '../access/policy.ts';
import type { SignedIn, Viewer } from '../access/viewer.ts';
import { isPossibleAccountName } from '../accounts/names.ts';
import type { Accounts } from '../accounts/service.ts';
import { ForgeError, invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Page, Paging } from '../core/paging.ts';
import { type Database, isForeignKeyViolation, isUniqueViolation, type Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { GitStorage, RepositoryId } from '../git/model.ts';
import { branchNameProblem } from '../git/ref-names.ts';
import { firstCommit } from './first-commit.ts';
import type {
  CollaborationLevel,
  Collaborator,
  HeldRepository,
  NewRepository,
  Repository,
  RepositoryPath,
} from './model.ts';
import { isPossibleRepositoryName, repositoryNameProblem } from './names.ts';
import {
  deleteCollaboration,
  deleteIntent,
  deleteRepository,
  findCollaborationLevel,
  findRepository,
  findRepositoryById,
  findRepositoryId,
  insertIntent,
  insertRepository,
  listCollaborators,
  listIntentsBefore,
  listOwnRepositories,
  listRepositoryIds,
  setCollaboration,
  setPushed,
} from './store.ts';

const WHY_FORBIDDEN: Partial<Record<RepositoryAction, string>> = {
  'repository.delete': 'only the owner of a repository may delete it',
  'repository.push': 'you may read this repository, but not push to it',
  'contents.write': 'you may read this repository, but not change it',
};

export class Repositories {
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #accounts: Accounts;

  constructor(dependencies: { database: Database; git: GitStorage; accounts: Accounts }) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
    this.#accounts = dependencies.accounts;
  }

  /**
   * Looks a repository up and authorizes `action` on it, in one call: nobody holds an unchecked one.
   *
   * @throws ForgeError `not_found` (missing or hidden), `unauthenticated`, `forbidden`
   */
  async get(viewer: Viewer, path: RepositoryPath, action: RepositoryAction): Promise<HeldRepository> {
    const found = isPossiblePath(path)
      ? await findRepository(this.#database.reader, viewer, path)
      : undefined;
    return requireHeld(viewer, found, action);
  }

  /**
   * The same for a repository that is known by its id, whatever it is called now.
   *
   * @throws ForgeError as `get`
   */
  async getById(viewer: Viewer, id: RepositoryId, action: RepositoryAction): Promise<HeldRepository> {
    return requireHeld(viewer, await findRepositoryById(this.#database.reader, viewer, id), action);
  }

  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<HeldRepository>> {
    return listOwnRepositories(this.#database.reader, viewer, paging);
  }

  /**
   * Makes a repository that belongs to the viewer. With `autoInit` its first commit is part of the same change:
   * there is either a repository with its commit or nothing.
   *
   * @throws ForgeError `invalid`, `name_in_use`
   */
  async create(viewer: SignedIn, wanted: NewRepository): Promise<HeldRepository> {
    requireValid(wanted);
    const { kind } = await this.#accounts.get(viewer.accountId);
    if (kind !== 'user')
      throw invalid('an organization makes no repositories of its own: name it as their owner');
    const id = await this.#database
      .transaction(async (tx) => {
        const intended = await insertIntent(tx, Date.now());
        const head = `refs/heads/${wanted.defaultBranch}`;
        await this.#git.create(intended, { head, objectFormat: wanted.objectFormat }, tx);
        // With a first commit to come, the repository appears along with that.
        if (!wanted.autoInit) await this.#announce(tx, viewer, intended, wanted);
        return intended;
      })
      .catch(rethrowNameInUse);
    if (wanted.autoInit) await this.#initialize(viewer, id, wanted);
    return this.#reload(viewer, id);
  }

  async #announce(tx: Tx, viewer: SignedIn, id: RepositoryId, wanted: NewRepository): Promise<void> {
    if (!(await deleteIntent(tx, id))) throw notFound('repository');
    await insertRepository(tx, id, viewer.accountId, wanted, Date.now());
    await insertEvent(tx, {
      kind: 'repository.created',
      actorId: viewer.accountId,
      repositoryId: id,
      payload: { name: wanted.name, private: wanted.isPrivate },
    });
  }

  async #initialize(viewer: SignedIn, id: RepositoryId, wanted: NewRepository): Promise<void> {
    try {
      const author = await this.#accounts.commitPerson(viewer.accountId);
      await using session = await this.#git.write(id);
      const { commit, objects } = firstCommit(wanted, author);
      await session.writeObjects(objects);
      const update = { ref: `refs/heads/${wanted.defaultBranch}`, old: null, new: commit };
      await this.#git.commit(session, [update], {
        atomic: true,
        inTransaction: async (tx) => {
          await this.#announce(tx, viewer, id, wanted);
          await setPushed(tx, id, { at: Date.now(), isEmpty: false });
        },
      });
    } catch (error) {
      await this.#abandon(id);
      rethrowNameInUse(error);
    }
  }

  async #abandon(id: RepositoryId): Promise<void> {
    await this.#database.transaction(async (tx) => {
      if (await deleteIntent(tx, id)) await this.#git.remove(id, tx);
    });
  }

  /** Clears away what is left of repositories whose making was cut off more than `graceMs` ago. */
  async sweepAbandoned(graceMs: number): Promise<void> {
    const abandoned = await listIntentsBefore(this.#database.reader, Date.now() - graceMs);
    for (const id of abandoned) await this.#abandon(id);
  }

  async #reload(viewer: Viewer, id: RepositoryId): Promise<HeldRepository> {
    const found = await findRepositoryById(this.#database.reader, viewer, id);
    if (found === undefined) throw notFound('repository');
    return found;
  }

  /** @throws ForgeError as `get` */
  async delete(viewer: Viewer, path: RepositoryPath): Promise<void> {
    const { repository } = await this.get(viewer, path, 'repository.delete');
    await this.#database.transaction(async (tx) => {
      // In the order in which a push takes its locks, so that the two wait for each other one way only.
      await this.#git.remove(repository.id, tx);
      if (!(await deleteRepository(tx, repository.id))) throw notFound('repository');
      await insertEvent(tx, {
        kind: 'repository.deleted',
        actorId: viewer.accountId,
        repositoryId: repository.id,
        payload: { name: `${repository.owner.name}/${repository.name}` },
      });
    });
  }

  /** Of every repository there is, for checks over all of them. */
  listIds(): Promise<readonly RepositoryId[]> {
    return listRepositoryIds(this.#database.reader);
  }

  /** Whoever asks: for commands on the machine itself. */
  async findId(path: RepositoryPath): Promise<RepositoryId | undefined> {
    return isPossiblePath(path) ? findRepositoryId(this.#database.reader, path) : undefined;
  }

  async listCollaborators(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<Collaborator>> {
    const { repository } = await this.get(viewer, path, 'collaborator.list');
    return listCollaborators(this.#database.reader, repository.id, paging);
  }

  /** @throws ForgeError as `get`, and `not_found` where the account is no collaborator */
  async getCollaborationLevel(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
  ): Promise<CollaborationLevel> {
    const { repository } = await this.get(viewer, path, 'collaborator.list');
    const account = await this.#accounts.getByName(viewer, name);
    const level = await findCollaborationLevel(this.#database.reader, repository.id, account.id);
    if (level === undefined) throw notFound('collaborator');
    return level;
  }

  /** @throws ForgeError as `get`, and `invalid` for the owner and for organizations */
  async addCollaborator(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    level: CollaborationLevel,
  ): Promise<void> {
    const { repository } = await this.get(viewer, path, 'collaborator.change');
    const account = await this.#collaboratorNamed(viewer, repository, name);
    await this.#database.transaction((tx) =>
      setCollaboration(tx, { repositoryId: repository.id, accountId: account.id, level, at: Date.now() }),
    );
  }

  async #collaboratorNamed(viewer: Viewer, repository: Repository, name: string): Promise<{ id: number }> {
    const account = await this.#accounts.getByName(viewer, name);
    if (account.id === repository.owner.id)
      throw invalid('the owner of a repository is no collaborator of it');
    if (account.kind !== 'user') throw invalid('only a user can be a collaborator');
    return account;
  }

  /** Removing somebody who is no collaborator changes nothing. */
  async removeCollaborator(viewer: Viewer, path: RepositoryPath, name: string): Promise<void> {
    const { repository } = await this.get(viewer, path, 'collaborator.change');
    const account = await this.#accounts.getByName(viewer, name);
    await this.#database.transaction((tx) => deleteCollaboration(tx, repository.id, account.id));
  }
}

function isPossiblePath(path: RepositoryPath): boolean {
  return isPossibleAccountName(path.owner) && isPossibleRepositoryName(path.name);
}

/** @throws ForgeError `not_found` (missing or hidden), `unauthenticated`, `forbidden` */
function requireHeld(
  viewer: Viewer,
  found: HeldRepository | undefined,
  action: RepositoryAction,
): HeldRepository {
  if (found === undefined) throw notFound('repository');
  requireGranted(decide(viewer, action, found.level), {
    what: 'repository',
    why: WHY_FORBIDDEN[action] ?? 'you may not do this with this repository',
  });
  return found;
}

/** @throws ForgeError `invalid` */
function requireValid(wanted: NewRepository): void {
  const problem = repositoryNameProblem(wanted.name) ?? branchProblem(wanted.defaultBranch);
  if (problem !== undefined) throw invalid(problem);
}

function branchProblem(branch: string): string | undefined {
  if (branch.length > LIMITS.branchNameCharsMax)
    return `[DefaultBranch]: MaxSize(${LIMITS.branchNameCharsMax})`;
  const problem = branchNameProblem(branch);
  return problem === undefined ? undefined : `[DefaultBranch]: ${problem}`;
}

function rethrowNameInUse(error: unknown): never {
  // The owner was deleted meanwhile.
  if (isForeignKeyViolation(error)) throw notFound('account');
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'name_in_use', what: 'The repository with the same name already exists.' },
    { cause: error },
  );
}
