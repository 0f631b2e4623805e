import { ANONYMOUS, type SignedIn } from '../access/viewer.ts';
import { type Caller, runFor } from '../core/caller.ts';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, Tx } from '../database/database.ts';
import type { GitStorage, WriteSession } from '../git/model.ts';
import { SourceError } from '../git/remote/model.ts';
import { defineJob, type JobRun } from '../jobs/model.ts';
import type { Jobs } from '../jobs/service.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { MIRROR } from './actions.ts';
import { type CopyPlan, copySource } from './copy.ts';
import type { LargeFileCopies } from './large-files.ts';
import type { DueMirror, MirrorRecords } from './mirror-records.ts';
import type { Mirror } from './model.ts';
import { failureOfSource, openSource } from './source.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: GitStorage;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly objectLinks: ObjectLinks;
  readonly largeFileCopies: LargeFileCopies;
  readonly mirrorRecords: MirrorRecords;
}

const SYNC = defineJob<{ ownerId: number }>('mirrors.sync');

/** One update of a mirror. */
interface Update {
  readonly mirror: Mirror;
  readonly due: DueMirror;
  readonly signal: AbortSignal;
}

/**
 * Brings mirrors up to date with their sources. All mirrors of an owner are one job, so an owner with slow sources, or with
 * many mirrors, holds back no one else.
 */
export class MirrorSync {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, mirrorRecords } = dependencies;
    const options = { atOnceMax: LIMITS.mirrorSyncsAtOnceMax };
    jobs.register(SYNC, ({ ownerId }, run) => this.syncDue(ownerId, run), options);
    jobs.schedule('mirrors.due', LIMITS.mirrorsLookedForEveryMs, async () => {
      const owners = await mirrorRecords.listDueOwners();
      await this.#use.database.transaction(async (tx) => {
        for (const ownerId of owners) await this.#enqueue(tx, ownerId);
      });
    });
  }

  /**
   * Requests an update, which begins soon.
   *
   * @throws ForgeError as `Repositories.get`, `bad_request` for a repository that is not a mirror
   */
  async request(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    const { database, repositories, mirrorRecords } = this.#use;
    const { repository } = await repositories.get(viewer, path, MIRROR.sync);
    const isMirror = await database.transaction(async (tx) => {
      if (!(await mirrorRecords.request(tx, repository.id))) return false;
      await this.#enqueue(tx, repository.owner.id);
      return true;
    });
    if (!isMirror)
      throw new ForgeError({ kind: 'bad_request', what: 'this repository is not a pull mirror' });
  }

  #enqueue(tx: Tx, ownerId: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, SYNC, { key: `${ownerId}`, payload: { ownerId } });
  }

  /**
   * Brings the mirrors of an owner up to date that are due, one after the other, until it is the turn of others.
   *
   * @throws the reason of the signal
   */
  async syncDue(ownerId: number, run: Pick<JobRun, 'signal' | 'log'>): Promise<void> {
    const { database, mirrorRecords } = this.#use;
    const endsAt = performance.now() + LIMITS.mirrorTurnMs;
    let last: DueMirror | undefined;
    for (;;) {
      const due = await mirrorRecords.findDue(ownerId);
      if (due === undefined) return;
      if (due.id === last?.id && due.dueAt === last.dueAt) throw new Error(`mirror ${due.id} stays due`);
      if (performance.now() > endsAt) return database.transaction((tx) => this.#enqueue(tx, ownerId));
      await this.#sync(due, run);
      last = due;
    }
  }

  /** Brings one mirror up to date. A failure is recorded, and the next update comes by itself. */
  async #sync(due: DueMirror, { signal, log }: Pick<JobRun, 'signal' | 'log'>): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.migrationMs)]);
    try {
      const mirror = await this.#use.mirrorRecords.find(due.id);
      if (mirror === undefined) return;
      await runFor(callerOf(limited), () => this.#copy({ mirror, due, signal: limited }));
    } catch (error) {
      signal.throwIfAborted();
      const why = limited.aborted ? 'the update takes too long' : failureOfSource(error);
      log.warn({ err: error, repository: due.id }, 'a mirror was not updated');
      await this.#use.mirrorRecords.fail(
        due,
        why ?? 'the update failed at this server: its log has the reason',
      );
    }
  }

  async #copy(update: Update): Promise<void> {
    const { git, outbound } = this.#use;
    const { mirror, signal } = update;
    const { repositoryId: id, prunes, source } = mirror;
    // The address is checked again with each connection.
    const remote = await openSource(outbound, source, signal);
    await copySource(git, {
      id,
      remote,
      prunes,
      move: (session, plan) => this.#move(session, plan, update),
    });
  }

  async #move(
    session: WriteSession,
    { updates, defaultBranch }: CopyPlan,
    { mirror, due, signal }: Update,
  ): Promise<void> {
    const { repositoryId: id } = mirror;
    const { database, largeFileCopies, objectLinks, pushes, repositories } = this.#use;
    const held = await repositories.find(database.reader, ANONYMOUS, id);
    if (held === undefined) return;
    const { repository } = held;
    const about = { id, ownerId: repository.owner.id, source: mirror.source, signal };
    const objects = await largeFileCopies.stage(session, updates, about);
    signal.throwIfAborted();
    const inTransaction = async (tx: Tx) => {
      await objectLinks.adopt(tx, id, objects);
      if (defaultBranch !== null) await this.#follow(tx, repository, defaultBranch);
      await this.#use.mirrorRecords.succeed(tx, due, mirror);
    };
    const results = await pushes.push(session, {
      // The old default branch may go, if the source has another one.
      repository: { ...repository, defaultBranch: defaultBranch ?? repository.defaultBranch },
      origin: { kind: 'mirror' },
      pusher: ANONYMOUS,
      updates,
      atomic: false,
      alsoInTransaction: inTransaction,
    });
    if (!results.some(({ outcome }) => outcome === 'moved')) await database.transaction(inTransaction);
    for (const result of results) {
      if (result.outcome === 'rejected')
        throw new SourceError(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  async #follow(tx: Tx, { id }: Pick<Repository, 'id'>, branch: string): Promise<void> {
    const { git, repositories } = this.#use;
    if (await git.switchHead(id, `refs/heads/${branch}`, tx))
      await repositories.settings.defaultBranchChanged.notify(tx, id);
  }
}

/** All updates of mirrors share one part of each resource, as one account does. */
function callerOf(left: AbortSignal): Caller {
  return { share: 'mirrors', lane: 'mirrors', isAnonymous: false, isServer: false, left };
}
