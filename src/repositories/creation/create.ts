import { reaches } from '../../access/levels.ts';
import { overridesRights, type SignedIn } from '../../access/viewer.ts';
import { lockKind } from '../../accounts/locks.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import type { Accounts } from '../../accounts/service.ts';
import { ForgeError, notFound } from '../../core/failure.ts';
import { type Database, isForeignKeyViolation, isUniqueViolation, type Tx } from '../../database/database.ts';
import { insertEvent } from '../../events/store.ts';
import type { GitStorage, Oid, RepositoryId, WriteSession } from '../../git/model.ts';
import type { Templates } from '../../templates/service.ts';
import type { Repository, Start } from '../model.ts';
import type { Pushable, Pushes } from '../pushes.ts';
import { setCollaboration } from '../store/collaborators.ts';
import { countFork, hasForkOf } from '../store/forks.ts';
import { deleteIntent, hasIntent, insertIntent, listIntentsBefore } from '../store/intents.ts';
import { insertLabels } from '../store/labels.ts';
import { findRepositoryById, insertRepository } from '../store/records.ts';
import { type CommitPerson, type FirstFile, firstCommit, readmeOf } from './first-commit.ts';
import { type ForkRequest, forkedAlready, newFork } from './fork.ts';
import type { CreationRequest, SettledRequest } from './model.ts';
import { requireName, requireSeenAfterwards, requireValid } from './rules.ts';
import { type SiteRules, unitsOfFork, unitsOfNew } from './site-rules.ts';

/** What a repository has from its first moment. */
export interface InitialState {
  /** Writes the commit that its default branch begins with; absent: it begins empty. */
  readonly commit?: (session: WriteSession) => Promise<Oid>;
  /** Rows that speak of the repository, written along with its own. */
  readonly rows?: (tx: Tx, id: RepositoryId) => Promise<void>;
  /** absent: it is no fork */
  readonly parent?: Repository;
}

/**
 * A repository whose objects and refs can be written, and which nobody sees before it appears. Disposing one that has
 * not appeared takes it away.
 */
export interface PendingRepository extends AsyncDisposable {
  readonly repository: Pushable;
  /** @throws ForgeError `conflict`, `not_found` where the owner is gone */
  publish(tx: Tx): Promise<void>;
}

/** Told in the transaction in which a repository appears; what it throws undoes that. */
export type CreationListener = (
  tx: Tx,
  made: {
    repositoryId: RepositoryId;
    makerId: number;
    owner: PublicAccount;
    /** what it is a fork of */
    parentId: RepositoryId | null;
  },
) => Promise<void>;

/** Makes repositories: each appears whole, with its first commit where one is wanted, or not at all. */
export class RepositoryCreation {
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #accounts: Accounts;
  readonly #pushes: Pushes;
  readonly #siteRules: SiteRules;
  readonly #templates: Templates;
  readonly #listeners: CreationListener[] = [];

  constructor(dependencies: {
    database: Database;
    git: GitStorage;
    accounts: Accounts;
    pushes: Pushes;
    siteRules: SiteRules;
    templates: Templates;
  }) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
    this.#accounts = dependencies.accounts;
    this.#pushes = dependencies.pushes;
    this.#siteRules = dependencies.siteRules;
    this.#templates = dependencies.templates;
  }

  onCreated(listener: CreationListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Makes one of what templates there are.
   *
   * @throws ForgeError `invalid` (also for the name of a template that is none), `forbidden`, `conflict`, `not_found`
   *   where the owner is gone: nothing is left then
   */
  async create(creation: CreationRequest, start: Start): Promise<RepositoryId> {
    const labels = start.labelSet === '' ? [] : this.#templates.labelSet(start.labelSet);
    const rows = (tx: Tx, id: RepositoryId) => insertLabels(tx, id, labels, Date.now());
    if (start.firstCommit === null) return this.createWith(creation, { rows });
    const author = await this.authorOf(creation);
    const files = await this.#firstFiles(creation, start.firstCommit, author);
    return this.createWith(creation, {
      rows,
      commit: async (session) => {
        const { commit, objects } = firstCommit(creation.wanted.objectFormat, files, author);
        await session.writeObjects(objects);
        return commit;
      },
    });
  }

  /** Whose a first commit is: the owner's, or the maker's where the owner is nobody in particular. */
  authorOf({ viewer, owner }: Pick<CreationRequest, 'viewer' | 'owner'>): Promise<CommitPerson> {
    return this.#accounts.commitPerson(owner.kind === 'user' ? owner.id : viewer.accountId);
  }

  async #firstFiles(
    { owner, wanted }: CreationRequest,
    { gitignores, license }: NonNullable<Start['firstCommit']>,
    author: CommitPerson,
  ): Promise<readonly FirstFile[]> {
    const facts = {
      year: new Date().getUTCFullYear(),
      owner: owner.name,
      repository: wanted.name,
      email: author.commitEmail,
    };
    const files = [
      { name: 'README.md', text: readmeOf(wanted) },
      { name: '.gitignore', text: await this.#templates.gitignore(gitignores) },
      { name: 'LICENSE', text: license === '' ? '' : await this.#templates.license(license, facts) },
    ];
    return files.filter(({ text }) => text !== '');
  }

  /**
   * Makes one with a beginning that somebody else thought of.
   *
   * @throws ForgeError as `make`, and what the beginning throws
   */
  async createWith(creation: CreationRequest, initial: InitialState): Promise<RepositoryId> {
    const settled = this.#settle(creation);
    const { commit } = initial;
    if (commit === undefined) return this.#createEmpty(settled, initial);
    await using pending = await this.#begin(settled, initial);
    await using session = await this.#git.write(pending.repository.id);
    const ref = `refs/heads/${settled.wanted.defaultBranch}`;
    const [result] = await this.#pushes.push(session, {
      repository: pending.repository,
      updates: [{ ref, old: null, new: await commit(session) }],
      atomic: true,
      pusher: creation.viewer,
      via: 'api',
      alsoInTransaction: (tx) => pending.publish(tx),
    });
    if (result?.outcome !== 'moved') throw new Error(`a new repository got no ${ref}: ${result?.why}`);
    return pending.repository.id;
  }

  /**
   * Makes one that is there for a push to go into, and appears with it.
   *
   * @throws ForgeError `invalid`, `forbidden`
   */
  begin(creation: CreationRequest): Promise<PendingRepository> {
    return this.#begin(this.#settle(creation), {});
  }

  /**
   * Makes a fork, with the branches and tags that its parent has at the moment. Who may fork, and what that makes of the
   * fork, is decided on what the parent is then.
   *
   * @throws ForgeError `invalid`, `forbidden`, `conflict` also where the owner has a fork of it, `not_found`,
   *   and what `lockParent` throws: nothing is left then
   */
  async fork(forking: ForkRequest): Promise<RepositoryId> {
    const { viewer, owner, parentId, name, lockParent } = forking;
    if (name !== null) requireName(name);
    return this.#git.fork(parentId, { refs: 'all' }, async (tx, create) => {
      const parent = await lockParent(tx);
      if (await hasForkOf(tx, parentId, owner.id)) throw forkedAlready(parent, owner);
      const settled = this.#settleVisibility({ viewer, owner, wanted: newFork(parent, forking) });
      const id = await insertIntent(tx, Date.now());
      await create(tx, id);
      await this.#publish(tx, settled, { parent }, id).catch(rethrowLost);
      await countFork(tx, parentId);
      await insertEvent(tx, {
        kind: 'repository.forked',
        actorId: viewer.accountId,
        repositoryId: parentId,
        payload: { forkId: id },
      });
      return id;
    });
  }

  async #createEmpty(settled: SettledRequest, initial: InitialState): Promise<RepositoryId> {
    return this.#database.transaction(async (tx) => {
      const id = await this.#intend(tx, settled);
      await this.#publish(tx, settled, initial, id).catch(rethrowLost);
      return id;
    });
  }

  async #begin(settled: SettledRequest, initial: InitialState): Promise<PendingRepository> {
    const { owner, wanted } = settled;
    const id = await this.#database.transaction((tx) => this.#intend(tx, settled));
    const { name, defaultBranch } = wanted;
    return {
      repository: { id, owner, name, defaultBranch, archivedAt: null, isMirror: false, isPending: true },
      publish: (tx) => this.#publish(tx, settled, initial, id).catch(rethrowLost),
      [Symbol.asyncDispose]: () => this.#abandon(id),
    };
  }

  async #intend(tx: Tx, { wanted }: SettledRequest): Promise<RepositoryId> {
    const id = await insertIntent(tx, Date.now());
    const head = `refs/heads/${wanted.defaultBranch}`;
    await this.#git.create(id, { head, objectFormat: wanted.objectFormat }, tx);
    return id;
  }

  async #publish(tx: Tx, settled: SettledRequest, initial: InitialState, id: RepositoryId): Promise<void> {
    const { viewer, owner, wanted } = settled;
    await holdAccounts(tx, [owner.id, viewer.accountId]);
    if (!(await deleteIntent(tx, id))) throw notFound('repository');
    const { parent } = initial;
    const units = parent === undefined ? unitsOfNew(this.#siteRules) : unitsOfFork(this.#siteRules);
    const row = { id, ownerId: owner.id, wanted, units, at: Date.now() };
    await insertRepository(tx, parent === undefined ? row : { ...row, parent }).catch(rethrowNameInUse);
    if (owner.kind === 'organization') await giveToMaker(tx, viewer, id);
    await initial.rows?.(tx, id);
    const made = { repositoryId: id, makerId: viewer.accountId, owner, parentId: parent?.id ?? null };
    for (const listener of this.#listeners) await listener(tx, made);
    await insertEvent(tx, {
      kind: 'repository.created',
      actorId: viewer.accountId,
      repositoryId: id,
      payload: { owner: owner.name, name: wanted.name, private: wanted.isPrivate },
    });
  }

  async #abandon(id: RepositoryId): Promise<void> {
    if (!(await hasIntent(this.#database.reader, id))) return;
    await this.#database.transaction(async (tx) => {
      if (await deleteIntent(tx, id)) await this.#git.remove(id, tx);
    });
  }

  /** Clears away what is left of repositories whose making was cut off more than `graceMs` ago. */
  async sweepAbandoned(graceMs: number): Promise<void> {
    const abandoned = await listIntentsBefore(this.#database.reader, Date.now() - graceMs);
    for (const id of abandoned) await this.#abandon(id);
  }

  /** @throws ForgeError `invalid`, `forbidden` */
  #settle(creation: CreationRequest): SettledRequest {
    requireValid(creation.wanted);
    return this.#settleVisibility(creation);
  }

  /** @throws ForgeError `forbidden` */
  #settleVisibility(creation: CreationRequest): SettledRequest {
    const { viewer, wanted } = creation;
    const mayChoose = !this.#siteRules.forcesPrivate || overridesRights(viewer);
    const chosen = mayChoose ? wanted.isPrivate : null;
    const isPrivate = chosen ?? this.#siteRules.forcesPrivate;
    const settled = { ...creation, wanted: { ...wanted, isPrivate } };
    requireSeenAfterwards(settled);
    return settled;
  }
}

/**
 * Whoever deletes one of them has it first, too: the row of the repository would hold it only in part, and both would
 * wait for each other.
 *
 * @throws ForgeError `not_found`
 */
async function holdAccounts(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) await lockKind(tx, id);
}

/** Whoever makes a repository for an organization administers it, also where no team says so. */
async function giveToMaker(tx: Tx, viewer: SignedIn, id: RepositoryId): Promise<void> {
  const self = { ...viewer, publicOnly: false, limitedByToken: null };
  const held = await findRepositoryById(tx, self, id);
  if (held === undefined || reaches(held.level, 'admin')) return;
  const { accountId } = viewer;
  await setCollaboration(tx, { repositoryId: id, accountId, level: 'admin', at: Date.now() });
}

/** The owner or the maker was deleted meanwhile. */
function rethrowLost(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound('account') : error;
}

function rethrowNameInUse(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'conflict', what: 'The repository with the same name already exists.' },
    { cause: error },
  );
}
