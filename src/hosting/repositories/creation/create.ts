import { reaches } from '../../../api/access/levels.ts';
import { overridesRights, type SignedIn } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  type Tx,
} from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import type { CommitPerson } from '../../../git/trees/commit-builder.ts';
import { lockKind, lockVisibility } from '../../../people/accounts/locks.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Templates } from '../../templates/service.ts';
import { REPOSITORY_CREATED, REPOSITORY_FORKED } from '../events.ts';
import type { Start } from '../model.ts';
import type { BranchWriter } from '../refs/write-branch.ts';
import { type SiteRules, unitsOfFork, unitsOfNew } from '../site-rules.ts';
import { setCollaboration } from '../store/collaborators.ts';
import { mustForkBePrivate } from '../store/fork-visibility.ts';
import { countFork, hasForkOf } from '../store/forks.ts';
import { deleteIntent, hasIntent, insertIntent, listIntentsBefore } from '../store/intents.ts';
import { findRepositoryById, insertRepository } from '../store/records.ts';
import { buildFirstCommit, editsToAdd, firstFiles } from './first-commit.ts';
import { type ForkRequest, forkedAlready, newFork } from './fork.ts';
import type {
  CompleteRequest,
  CreatedRepository,
  CreationRequest,
  InitialState,
  PendingRepository,
} from './model.ts';
import { nameInUse, requireName, requireSeenAfterwards, requireValid } from './rules.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly accounts: Accounts;
  readonly branches: BranchWriter;
  readonly siteRules: SiteRules;
  readonly templates: Templates;
}

/** Creates repositories. Each one is published whole, with its first commit if it has one, or not at all. */
export class RepositoryCreation {
  /** in the transaction in which a repository appears */
  readonly created = new Signal<[tx: Tx, created: CreatedRepository]>();
  /** in the transaction in which a pending repository is given up */
  readonly abandoned = new Signal<[tx: Tx, id: RepositoryId]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Creates a repository from templates.
   *
   * @throws ForgeError `invalid` (also for an unknown template), `forbidden`, `conflict`, `not_found` if the owner is
   *   gone: nothing is left of it
   */
  async create(creation: CreationRequest, start: Start): Promise<RepositoryId> {
    const labels = start.labelSet === '' ? [] : this.#use.templates.labelSet(start.labelSet);
    if (start.firstCommit === null) return this.createWith(creation, { labels });
    const author = await this.authorOf(creation);
    const files = await firstFiles(this.#use.templates, creation, start.firstCommit, author);
    const commit = (session: WriteSession) => buildFirstCommit(session, { edits: editsToAdd(files) }, author);
    return this.createWith(creation, { labels, commit });
  }

  /** Returns the author of a first commit: the owner, or the creator if the owner is an organization. */
  authorOf({ viewer, owner }: Pick<CreationRequest, 'viewer' | 'owner'>): Promise<CommitPerson> {
    return this.#use.accounts.commitPerson(owner.kind === 'user' ? owner.id : viewer.accountId);
  }

  /**
   * Creates a repository in a state that the caller supplies.
   *
   * @throws ForgeError as `create`, and what the functions of `initial` throw
   */
  async createWith(creation: CreationRequest, initial: InitialState): Promise<RepositoryId> {
    const complete = this.#complete(creation);
    const { commit } = initial;
    if (commit === undefined) return this.#createEmpty(complete, initial);
    await using pending = await this.#begin(complete, initial);
    const { repository } = pending;
    return await this.#use.branches.write({
      repository,
      branch: complete.wanted.defaultBranch,
      pusher: creation.viewer,
      origin: { kind: 'creation', via: 'api' },
      build: async (session) => ({
        commit: await commit(session),
        result: repository.id,
        alsoInTransaction: (tx) => pending.publish(tx),
      }),
    });
  }

  /**
   * Creates a pending repository, which a push fills and publishes.
   *
   * @param writeRows writes rows that name it, in the transaction that gives it its id
   * @throws ForgeError `invalid`, `forbidden`; the errors of `writeRows`
   */
  begin(
    creation: CreationRequest,
    writeRows?: (tx: Tx, id: RepositoryId) => Promise<void>,
  ): Promise<PendingRepository> {
    return this.#begin(this.#complete(creation), {}, writeRows);
  }

  /**
   * Creates a fork with the branches and tags that its parent has at the moment. The state of the parent at that
   * moment decides who may fork it and whether the fork is private.
   *
   * @throws ForgeError `invalid`, `forbidden`, `conflict` (also if the owner already has a fork of it), `not_found`,
   *   and what `lockParent` throws: nothing is left of it
   */
  async fork(forking: ForkRequest): Promise<RepositoryId> {
    const { viewer, owner, parentId, name, lockParent } = forking;
    if (name !== null) requireName(name);
    return this.#use.git.writes.fork(parentId, { refs: 'all' }, async (tx, create) => {
      await lockVisibility(tx, 'to read it');
      const parent = await lockParent(tx);
      if (await hasForkOf(tx, parentId, owner.id)) throw forkedAlready(parent, owner);
      const isPrivate = await mustForkBePrivate(tx, { parentId, ownerId: owner.id });
      if (isPrivate === undefined) throw notFound('account');
      const complete = this.#withVisibility({ viewer, owner, wanted: newFork(parent, { name, isPrivate }) });
      const id = await insertIntent(tx, currentTimeMs());
      await create(tx, id);
      await this.#publish(tx, complete, { parent }, id).catch(rethrowLost);
      await countFork(tx, parentId);
      await insertEvent(tx, REPOSITORY_FORKED, {
        actorId: viewer.accountId,
        repositoryId: parentId,
        payload: { forkId: id },
      });
      return id;
    });
  }

  async #createEmpty(complete: CompleteRequest, initial: InitialState): Promise<RepositoryId> {
    return this.#use.database.transaction(async (tx) => {
      const id = await this.#intend(tx, complete);
      await this.#publish(tx, complete, initial, id).catch(rethrowLost);
      return id;
    });
  }

  async #begin(
    complete: CompleteRequest,
    initial: InitialState,
    writeRows?: (tx: Tx, id: RepositoryId) => Promise<void>,
  ): Promise<PendingRepository> {
    const { owner, wanted } = complete;
    const id = await this.#use.database.transaction(async (tx) => {
      const intended = await this.#intend(tx, complete);
      await writeRows?.(tx, intended);
      return intended;
    });
    const { name, defaultBranch, isPrivate } = wanted;
    return {
      repository: { id, owner, name, defaultBranch, isPrivate, archivedAt: null, isMirror: false },
      publish: (tx, rows) =>
        this.#publish(tx, complete, rows === undefined ? initial : { ...initial, rows }, id).catch(
          rethrowLost,
        ),
      [Symbol.asyncDispose]: () => this.abandon(id),
    };
  }

  async #intend(tx: Tx, { wanted }: CompleteRequest): Promise<RepositoryId> {
    const id = await insertIntent(tx, currentTimeMs());
    const head = branchRef(wanted.defaultBranch);
    await this.#use.git.refs.create(id, { head, objectFormat: wanted.objectFormat }, tx);
    return id;
  }

  async #publish(tx: Tx, complete: CompleteRequest, initial: InitialState, id: RepositoryId): Promise<void> {
    const { viewer, owner, wanted } = complete;
    await holdAccounts(tx, [owner.id, viewer.accountId]);
    if (!(await deleteIntent(tx, id))) throw notFound('repository');
    const { parent } = initial;
    const units = parent === undefined ? unitsOfNew(this.#use.siteRules) : unitsOfFork(this.#use.siteRules);
    const row = { id, ownerId: owner.id, wanted, units, at: currentTimeMs() };
    await insertRepository(tx, parent === undefined ? row : { ...row, parent }).catch(rethrowNameInUse);
    if (owner.kind === 'organization') await giveToCreator(tx, viewer, id);
    await initial.rows?.(tx, id);
    await this.created.notify(tx, {
      repositoryId: id,
      makerId: viewer.accountId,
      owner,
      parentId: parent?.id ?? null,
      isPrivate: wanted.isPrivate,
      labels: initial.labels ?? [],
    });
    await insertEvent(tx, REPOSITORY_CREATED, {
      actorId: viewer.accountId,
      repositoryId: id,
      payload: { owner: owner.name, name: wanted.name, private: wanted.isPrivate },
    });
  }

  /** Removes a pending repository. Does nothing if it was published or removed. */
  async abandon(id: RepositoryId): Promise<void> {
    if (!(await hasIntent(this.#use.database.reader, id))) return;
    await this.#use.database.transaction(async (tx) => {
      if (!(await deleteIntent(tx, id))) return;
      await this.#use.git.refs.remove(id, tx);
      await this.abandoned.notify(tx, id);
    });
  }

  /** Removes pending repositories whose creation was interrupted more than `graceMs` ago. */
  async sweepAbandoned(graceMs: number): Promise<void> {
    const abandoned = await listIntentsBefore(this.#use.database.reader, currentTimeMs() - graceMs);
    for (const id of abandoned) await this.abandon(id);
  }

  /** @throws ForgeError `invalid`, `forbidden` */
  #complete(creation: CreationRequest): CompleteRequest {
    requireValid(creation.wanted);
    return this.#withVisibility(creation);
  }

  /** @throws ForgeError `forbidden` */
  #withVisibility(creation: CreationRequest): CompleteRequest {
    const { viewer, wanted } = creation;
    const mayChoose = !this.#use.siteRules.forcesPrivate || overridesRights(viewer);
    const chosen = mayChoose ? wanted.isPrivate : null;
    const isPrivate = chosen ?? this.#use.siteRules.forcesPrivate;
    const complete = { ...creation, wanted: { ...wanted, isPrivate } };
    requireSeenAfterwards(complete);
    return complete;
  }
}

/**
 * Locks accounts first, as a deletion of an account does. The new row of a repository locks them only in part, so the
 * two transactions would wait for each other.
 *
 * @throws ForgeError `not_found`
 */
async function holdAccounts(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) await lockKind(tx, id);
}

/** Makes the creator of an organization's repository its administrator, unless a team already does. */
async function giveToCreator(tx: Tx, viewer: SignedIn, id: RepositoryId): Promise<void> {
  const self = { ...viewer, publicOnly: false, limitedByToken: null };
  const permitted = await findRepositoryById(tx, self, id);
  if (permitted === undefined || reaches(permitted.level, 'admin')) return;
  const { accountId } = viewer;
  await setCollaboration(tx, { repositoryId: id, accountId, level: 'admin', at: currentTimeMs() });
}

/** A missing account means that the owner or the creator was deleted meanwhile. */
function rethrowLost(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound('account') : error;
}

function rethrowNameInUse(error: unknown): never {
  throw isUniqueViolation(error) ? nameInUse({ cause: error }) : error;
}
