import { ForgeError, forbidden, isFailure } from '../../../base/core/failure.ts';
import { type Caller, runFor } from '../../../base/core/fairness/caller.ts';
import { faultPoint } from '../../../base/core/faults.ts';
import type { Log } from '../../../base/core/log.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob, type JobRun } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import type { Authentication } from '../../../people/authentication/service.ts';
import { STORAGE_LIMITS } from '../../../storage/limits.ts';
import type { Repositories } from '../../repositories/service.ts';
import { migrationRetryMs, type RepositoryCopies, tookTooLong } from '../copy-repository.ts';
import { MIRROR_LIMITS } from '../limits.ts';
import type { WantedMigration } from '../model.ts';
import { newProgress, type Progress } from '../progress.ts';
import { forCaller, mayPass, withoutSecrets } from '../source.ts';
import { followProgress } from './follow-progress.ts';
import type { MigrationFailure, MigrationStatus, RequesterPlace, Run } from './model.ts';
import type { Attempt, MigrationRecords } from './records.ts';
import { findCanceledLeft, findNextDue, listLeft, listWaitingRequesters } from './store.ts';
import type { MigrationWatch } from './watch.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly authentication: Authentication;
  readonly repositories: Repositories;
  readonly repositoryCopies: RepositoryCopies;
  readonly migrationRecords: MigrationRecords;
  readonly migrationWatch: MigrationWatch;
}

const MIGRATE = defineJob<RequesterPlace>('mirrors.migrate');
const SLOTS = Array.from({ length: MIRROR_LIMITS.migrationsPerCallerMax }, (_, slot) => slot);
const FAULT = 'the migration failed at this server: its log has the reason';

/** The migration was canceled, or another process has taken it. */
class NoLongerWanted extends Error {
  override readonly name = 'NoLongerWanted';
}

/** An attempt that is running. */
interface Running {
  readonly attempt: Attempt;
  readonly job: JobRun;
  /** aborted when the attempt is no longer wanted */
  readonly gone: AbortController;
  /** fires whenever the attempt ends early, for any reason */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly workedMs: () => number;
}

/**
 * Runs migrations. The migrations of a requester share a few jobs, one for each place of the requester. After each
 * migration, a job lets the jobs of other requesters go first.
 */
export class MigrationRuns {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs } = dependencies;
    jobs.register(MIGRATE, (place, run) => this.#run(place, run), {
      atOnceMax: MIRROR_LIMITS.migrationsAtOnceMax,
      hasOwnSlots: true,
    });
    jobs.schedule('migrations.sweep', STORAGE_LIMITS.sweepEveryMs, () => this.#sweep());
  }

  /** Enqueues the jobs that run the migrations of a requester when they are due. */
  async enqueue(tx: Tx, requesterId: number): Promise<void> {
    for (const slot of SLOTS) await this.#enqueue(tx, { requesterId, slot }, 0);
  }

  #enqueue(tx: Tx, place: RequesterPlace, delayMs: number): Promise<void> {
    const key = `${place.requesterId} ${place.slot}`;
    return this.#use.jobs.enqueue(tx, MIGRATE, { key, payload: place, delayMs });
  }

  /** Runs one migration of a requester, and schedules the next one. */
  async #run(place: RequesterPlace, job: JobRun): Promise<void> {
    const { database, migrationRecords } = this.#use;
    await this.#removeRemains(place);
    const attempt = await migrationRecords.startAttempt(place);
    if (attempt !== undefined) {
      faultPoint('after-migration-take');
      await this.#try(attempt, job);
    }
    const next = await findNextDue(database.reader, place.requesterId);
    if (next === undefined) return;
    const delayMs = Math.max(next - currentTimeMs(), 0);
    await database.transaction((tx) => this.#enqueue(tx, place, delayMs));
  }

  /** Removes the remains of an attempt whose process has ended or lost its job. This job has the place now. */
  async #removeRemains(place: RequesterPlace): Promise<void> {
    for (const run of await listLeft(this.#use.database.reader, place)) await this.#removeRest(run);
  }

  /** Removes the remains of a canceled migration whose process does not remove them. */
  async removeRestOf(id: number): Promise<void> {
    const run = await findCanceledLeft(this.#use.database.reader, id);
    if (run !== undefined) await this.#removeRest(run);
  }

  /**
   * Takes the attempt over first: if it still runs, it fails because its repository is deleted, and must not record
   * that.
   */
  async #removeRest(run: Run): Promise<void> {
    const { migrationRecords, repositories } = this.#use;
    const remains = await migrationRecords.takeOver(run);
    if (remains === undefined) return;
    if (remains.pendingId !== null) await repositories.creation.abandon(remains.pendingId);
    await migrationRecords.revive(remains);
  }

  /** Deletes old records, and enqueues the jobs of waiting migrations again, because jobs may have been given up. */
  async #sweep(): Promise<void> {
    const { database, migrationRecords } = this.#use;
    await migrationRecords.sweep();
    const requesters = await listWaitingRequesters(database.reader);
    await database.transaction(async (tx) => {
      for (const requesterId of requesters) await this.enqueue(tx, requesterId);
    });
  }

  /** @throws the reason of the job's signal; errors of the database */
  async #try(attempt: Attempt, job: JobRun): Promise<void> {
    const gone = new AbortController();
    const progress = newProgress();
    const startedAt = performance.now();
    const workedMs = () => attempt.workedMs + Math.round(performance.now() - startedAt);
    const leftMs = Math.max(MIRROR_LIMITS.migrationMs - attempt.workedMs, 0);
    const signal = AbortSignal.any([job.signal, gone.signal, AbortSignal.timeout(leftMs)]);
    const running: Running = { attempt, job, gone, signal, progress, workedMs };
    const { migrationRecords, migrationWatch } = this.#use;
    const about = aboutOf(running);
    job.log.info(about, 'a migration begins');
    const unfollow = migrationWatch.follow(attempt.id, (status) => {
      if (!isStillWanted(status, attempt)) gone.abort(new NoLongerWanted('the migration was canceled'));
    });
    const endProgress = followProgress(progress, (text) =>
      migrationRecords.recordProgress(attempt, { progress: text, workedMs: workedMs() }),
    );
    try {
      await runFor(callerOf(attempt, signal), () => this.#copy(running));
      job.log.info({ ...aboutOf(running), ...numbersOf(running) }, 'a repository was migrated');
    } catch (error) {
      await endProgress();
      await this.#recordFailure(running, error);
    } finally {
      await endProgress();
      unfollow();
    }
  }

  async #copy({ attempt, signal, progress, job }: Running): Promise<void> {
    const { migrationRecords, repositoryCopies } = this.#use;
    if (attempt.number > MIRROR_LIMITS.migrationAttemptsMax)
      throw new ForgeError({ kind: 'bad_request', what: 'the server ended during each attempt' });
    const wanted = attempt.wanted();
    try {
      const { viewer, owner } = await this.#authorize(attempt, wanted);
      await repositoryCopies.copy({
        viewer,
        owner,
        wanted,
        signal,
        progress,
        record: {
          began: async (tx, id) => requireRunning(await migrationRecords.recordPending(tx, attempt, id)),
          authorize: async () => {
            await this.#authorize(attempt, wanted);
          },
          published: async (tx, id) =>
            requireRunning(await migrationRecords.succeed(tx, attempt, id, progress)),
        },
      });
    } catch (error) {
      throw withoutSecrets(error, wanted.source.credentials);
    }
    if (progress.leftOut.length > 0)
      job.log.warn({ notTaken: progress.leftOut }, 'a migration leaves something out');
  }

  /** Checks the current rights of the requester, which may have changed since the request. */
  async #authorize({ requester }: Attempt, { owner }: WantedMigration) {
    const { authentication, repositoryCopies } = this.#use;
    const viewer = await authentication.viewerAgain(requester).catch(rethrowLost);
    return { viewer, owner: await repositoryCopies.findOwner(viewer, owner) };
  }

  /** Records how an attempt has failed. @throws the reason of the job's signal; errors of the database */
  async #recordFailure(running: Running, error: unknown): Promise<void> {
    const { migrationRecords } = this.#use;
    const { attempt, job, gone, progress } = running;
    if (job.signal.aborted && !gone.signal.aborted) {
      await migrationRecords.postpone(attempt, attempt.number - 1);
      job.log.info(aboutOf(running), 'a migration continues later, because the server stops');
      throw job.signal.reason;
    }
    faultPoint('before-migration-settle');
    const cause = running.signal.aborted && !gone.signal.aborted ? tookTooLong(error) : error;
    const failure = failureOf(cause);
    const end = { failure, progress, workedMs: running.workedMs() };
    const about = { ...aboutOf(running), ...numbersOf(running), err: cause };
    if (mayPass(cause) && attempt.number < MIRROR_LIMITS.migrationAttemptsMax) {
      const delayMs = migrationRetryMs(attempt.number);
      if (await migrationRecords.retry(attempt, end, delayMs))
        return job.log.warn({ ...about, delayMs }, 'a migration is tried again');
    } else if (await migrationRecords.fail(attempt, end))
      return job.log.warn(about, 'a repository was not migrated');
    this.#logCanceled(running, job.log);
  }

  #logCanceled(running: Running, log: Log): void {
    log.info({ ...aboutOf(running), ...numbersOf(running) }, 'a migration was canceled');
  }
}

/**
 * Any process may have canceled the migration. If this process seemed to have ended, another process may have taken it.
 */
function isStillWanted(status: MigrationStatus | undefined, { run }: Attempt): boolean {
  if (status === undefined || status.state === 'canceled') return false;
  // The copy has appeared, and the attempt is about to end.
  return status.run === run || status.state === 'done';
}

function requireRunning(isRunning: boolean): void {
  if (!isRunning) throw new NoLongerWanted('the migration was canceled');
}

/** Replaces `unauthenticated`, because it does not mean that the current request lacks credentials. */
function rethrowLost(error: unknown): never {
  if (isFailure(error, 'unauthenticated'))
    throw forbidden('the account or the credential that requested this is gone');
  throw error;
}

function failureOf(error: unknown): MigrationFailure {
  const shown = forCaller(error);
  if (!(shown instanceof ForgeError)) return { kind: 'fault', what: FAULT };
  return { ...shown.failure, what: shown.failure.what.slice(0, MIRROR_LIMITS.mirrorErrorCharsMax) };
}

/** The work counts for the account of the requester, like its requests. */
function callerOf({ requester }: Attempt, left: AbortSignal): Caller {
  const share = `account ${requester.accountId}`;
  return { share, lane: 'familiar', isAnonymous: false, isServer: false, left };
}

function aboutOf({ attempt, job }: Pick<Running, 'attempt' | 'job'>) {
  const { id, requester, aim, number } = attempt;
  return { migration: id, account: requester.accountId, ...aim, attempt: number, job: job.attempt };
}

function numbersOf({ progress, workedMs }: Running) {
  const { leftOut: _, ...numbers } = progress;
  return { ...numbers, ms: workedMs() };
}
