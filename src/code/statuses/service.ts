import type { RepositoryAction } from '../../api/access/actions.ts';
import { type SignedIn, SYSTEM, type Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Oid } from '../../git/format/model.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { isGranted } from '../../hosting/repositories/authorize.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { STATUS } from './actions.ts';
import { STATUS_CREATED } from './events.ts';
import { STATUS_LIMITS } from './limits.ts';
import {
  type CombinedStatus,
  type CommitStatus,
  combinedState,
  type NewStatus,
  type StatusFilter,
  type StatusState,
} from './model.ts';
import {
  type CommitIn,
  insertStatus,
  lastStatusNumber,
  listLatestStates,
  listLatestStatesOf,
  listLatestStatuses,
  listStatuses,
} from './store.ts';

const LATEST_FIRST: StatusFilter = { state: null, isOldestFirst: false };

interface RequestedStatus extends NewStatus {
  /** Throws if the caller does not accept the first page of the list as it is. */
  readonly requireCurrent?: ((firstPage: Page<CommitStatus>) => void) | undefined;
}

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly repositories: Repositories;
}

/** Keeps what other tools report about commits, such as the results of tests. */
export class Statuses {
  /** in the transaction that adds a status */
  readonly created = new Signal<[tx: Tx, of: CommitIn]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Adds a status to a commit.
   *
   * @param name a branch, tag or commit
   * @throws ForgeError as `Repositories.get`; `archived`; `not_found` for an unknown commit; `invalid` for one with too
   *   many statuses
   */
  async create(
    viewer: SignedIn,
    path: RepositoryPath,
    name: string,
    { requireCurrent, ...status }: RequestedStatus,
  ): Promise<CommitStatus> {
    const of = await this.#locate(viewer, path, name, STATUS.create);
    const { number } = await this.#use.database.transaction(async (tx) => {
      // The lock also makes the numbers of one commit consecutive.
      const { repository } = await this.#use.repositories.lock(tx, viewer, of.repository.id, STATUS.create);
      requireNotArchived(repository);
      requireCurrent?.(await listStatuses(tx, viewer, of, LATEST_FIRST, pagingOf({})));
      const next = (await lastStatusNumber(tx, of)) + 1;
      if (next > STATUS_LIMITS.statusesPerCommitMax)
        throw invalid(`a commit has at most ${STATUS_LIMITS.statusesPerCommitMax} statuses`);
      const creatorId = viewer.accountId;
      await insertStatus(tx, of, { ...status, number: next, creatorId, createdAt: currentTimeMs() });
      const { context, state } = status;
      await this.created.notify(tx, of);
      await insertEvent(tx, STATUS_CREATED, {
        actorId: creatorId,
        repositoryId: of.repository.id,
        payload: { commit: of.commit, context, state },
      });
      return { number: next };
    });
    return this.#read(viewer, of, number);
  }

  /** @throws ForgeError as `create` */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    { name, filter, paging }: { name: string; filter: StatusFilter; paging: Paging },
  ): Promise<Page<CommitStatus>> {
    const of = await this.#locate(viewer, path, name, STATUS.list);
    return listStatuses(this.#use.database.reader, viewer, of, filter, paging);
  }

  /** @throws ForgeError as `create` */
  async combine(
    viewer: Viewer,
    path: RepositoryPath,
    { name, paging }: { name: string; paging: Paging },
  ): Promise<CombinedStatus> {
    const { permitted, ...of } = await this.#locate(viewer, path, name, STATUS.list);
    const db = this.#use.database.reader;
    const { items, total } = await listLatestStatuses(db, viewer, of, paging);
    const state = combinedState(await listLatestStates(db, of));
    return { permitted, commit: of.commit, state, statuses: items, total };
  }

  /**
   * Combines the states of several commits of a repository that was found for the viewer.
   *
   * @returns nothing for commits without a status, and for a viewer who may not list statuses
   */
  async combineAll(
    viewer: Viewer,
    permitted: PermittedRepository,
    commits: readonly Oid[],
  ): Promise<ReadonlyMap<Oid, StatusState>> {
    if (!isGranted(viewer, permitted, STATUS.list)) return new Map();
    const found = await listLatestStatesOf(this.#use.database.reader, permitted.repository, commits);
    return new Map([...found].flatMap(([commit, states]) => withState(commit, combinedState(states))));
  }

  /** Lists the latest status of each context of a commit, without authorization. */
  async latest(db: Db, of: CommitIn): Promise<readonly CommitStatus[]> {
    const limit = STATUS_LIMITS.statusesPerCommitMax;
    return (await listLatestStatuses(db, SYSTEM, of, { page: 1, limit })).items;
  }

  async #read(viewer: Viewer, of: CommitIn, number: number): Promise<CommitStatus> {
    const filter = { state: null, isOldestFirst: true };
    // Numbers have no gaps, so a page of one item has the status with that number.
    const { items } = await listStatuses(this.#use.database.reader, viewer, of, filter, {
      page: number,
      limit: 1,
    });
    const [status] = items;
    if (status === undefined) throw notFound('status');
    return status;
  }

  async #locate(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    action: RepositoryAction,
  ): Promise<CommitIn & { readonly permitted: PermittedRepository }> {
    const permitted = await this.#use.repositories.get(viewer, path, action);
    const resolved = await resolveRef(await this.#use.git.refs.open(permitted.repository.id), name);
    if (resolved === undefined) throw notFound('commit');
    return { permitted, repository: permitted.repository, commit: resolved.commit };
  }
}

function withState(commit: Oid, state: StatusState | null): readonly (readonly [Oid, StatusState])[] {
  return state === null ? [] : [[commit, state]];
}
