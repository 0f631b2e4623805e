import { isRepositoryLimited, type SignedIn } from '../../../api/access/viewer.ts';
import { conflict, ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import { currentCaller, runForServer } from '../../../base/core/fairness/caller.ts';
import { faultPoint } from '../../../base/core/faults.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Database } from '../../../base/database/database.ts';
import { REPOSITORY } from '../../repositories/actions.ts';
import type { PermittedRepository } from '../../repositories/model.ts';
import type { Repositories } from '../../repositories/service.ts';
import type { RepositoryCopies } from '../copy-repository.ts';
import { MIRROR_LIMITS } from '../limits.ts';
import type { WantedMigration } from '../model.ts';
import { hasEnded, type Migration, type MigrationStatus } from './model.ts';
import type { MigrationRecords } from './records.ts';
import type { MigrationRuns } from './runs.ts';
import { deleteEnded, findMigration, listMigrations } from './store.ts';
import type { MigrationWatch } from './watch.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly repositoryCopies: RepositoryCopies;
  readonly migrationRecords: MigrationRecords;
  readonly migrationRuns: MigrationRuns;
  readonly migrationWatch: MigrationWatch;
}

/**
 * Copies of repositories on other servers that users request. A job makes each copy. Only the requester sees the
 * record.
 */
export class Migrations {
  readonly #use: Dependencies;
  readonly #stopping = new AbortController();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Copies a repository, and waits for the end. If the caller leaves before, the copy is canceled. If this server
   * stops, the copy continues when a server runs again.
   *
   * @throws ForgeError `invalid` (the owner or the source is not usable, with the reason, or the migration was
   *   canceled), `conflict`, `forbidden`, `too_large`, `busy`; nothing of the copy remains, unless this server stops
   */
  async migrate(viewer: SignedIn, wanted: WantedMigration): Promise<PermittedRepository> {
    const { database, repositories, repositoryCopies, migrationRecords, migrationRuns } = this.#use;
    const owner = await repositoryCopies.prepare(viewer, wanted);
    const { left } = currentCaller();
    left?.throwIfAborted();
    const id = await database.transaction(async (tx) => {
      const added = await migrationRecords.add(tx, { viewer, owner, wanted });
      await migrationRuns.enqueue(tx, viewer.accountId);
      return added;
    });
    faultPoint('after-migration-request');
    const ended = await this.#ended(id, left).catch(async (error: unknown) => {
      if (left?.aborted === true && !this.#stopping.signal.aborted)
        await runForServer(() => migrationRecords.cancel({ id, requesterId: viewer.accountId }));
      throw error;
    });
    if (ended?.state !== 'done' || ended.repositoryId === null) throw failureOf(ended);
    return repositories.getById(viewer, ended.repositoryId, REPOSITORY.read);
  }

  /** Ends all waits for migrations. The migrations continue when a server runs again. */
  stopWaiting(): void {
    const what = 'the server stops: the migration goes on when it runs again, see your migrations';
    this.#stopping.abort(new ForgeError({ kind: 'busy', what, retryAfterSeconds: 5 }));
  }

  /** Lists the migrations that the viewer has requested, the newest first. */
  async list(viewer: SignedIn, paging: Paging): Promise<Page<Migration>> {
    if (seesNone(viewer)) return { items: [], total: 0 };
    return listMigrations(this.#use.database.reader, viewer.accountId, paging);
  }

  /** @throws ForgeError `not_found`, also for a migration of another account */
  async get(viewer: SignedIn, id: number): Promise<Migration> {
    const found = seesNone(viewer)
      ? undefined
      : await findMigration(this.#use.database.reader, id, viewer.accountId);
    if (found === undefined) throw notFound('migration');
    return found;
  }

  /**
   * Cancels a migration that has not ended, and waits until nothing is left of it. If it has ended, deletes its record.
   *
   * @throws ForgeError as `get`; `conflict` if it ends at this moment
   */
  async remove(viewer: SignedIn, id: number): Promise<void> {
    const { database, migrationRecords } = this.#use;
    const { endedAt } = await this.get(viewer, id);
    if (endedAt === null && !(await migrationRecords.cancel({ id, requesterId: viewer.accountId })))
      throw conflict('the migration has just ended: see its record');
    const late = AbortSignal.timeout(MIRROR_LIMITS.migrationCancelWaitMs);
    // The process that ran it may have died, and another process may take its job only a minute later.
    await this.#ended(id, late).catch(() => this.#use.migrationRuns.removeRestOf(id));
    if (endedAt !== null) await database.transaction((tx) => deleteEnded(tx, id));
  }

  /** Waits until a migration has ended. @throws the reason of the signal; `busy` if this server stops */
  async #ended(id: number, signal: AbortSignal | undefined): Promise<MigrationStatus | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<MigrationStatus | undefined>();
    const unfollow = this.#use.migrationWatch.follow(id, (status) => {
      if (status === undefined || hasEnded(status)) resolve(status);
    });
    const signals = [this.#stopping.signal, ...(signal === undefined ? [] : [signal])];
    const leave = () => reject(signals.find(({ aborted }) => aborted)?.reason);
    for (const each of signals) each.addEventListener('abort', leave, { once: true });
    if (signals.some(({ aborted }) => aborted)) leave();
    try {
      return await promise;
    } finally {
      unfollow();
      for (const each of signals) each.removeEventListener('abort', leave);
    }
  }
}

/** Whether the credential is for certain repositories, or for public ones only. */
function seesNone(viewer: SignedIn): boolean {
  return viewer.publicOnly || isRepositoryLimited(viewer);
}

function failureOf(status: MigrationStatus | undefined): Error {
  if (status === undefined || status.state === 'canceled') return invalid('the migration was canceled');
  const { failure } = status;
  if (failure === null || failure.kind === 'fault') return new Error(failure?.what ?? 'a migration failed');
  return new ForgeError(failure);
}
