import { type Caller, runFor } from '../../base/core/fairness/caller.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { JobKind, JobRun } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { Due } from './model.ts';
import { failureOfSource } from './source.ts';

/** Mirrors whose owners take turns to have them updated. */
export interface Turns {
  readonly kind: JobKind<{ ownerId: number }>;
  /** name of the recurring job that looks for mirrors that are due */
  readonly lookingName: string;
  readonly atOnceMax: number;
  /** time that an owner has in any case; after that, an update gives way if other owners wait */
  readonly patienceMs: number;
  /** for the log, if it fails */
  readonly whatFailed: string;
  listDueOwners(): Promise<readonly number[]>;
  /** Finds the mirror of an owner that is due the longest. */
  findDue(ownerId: number): Promise<Due | undefined>;
  /** Updates a mirror. Afterwards it is not due, unless an update was requested again. */
  update(due: Due, signal: AbortSignal): Promise<void>;
  /** Records why `update` failed. */
  fail(due: Due, why: string): Promise<void>;
}

/**
 * Runs updates of mirrors. All mirrors of an owner are one job, so an owner with slow servers or many mirrors occupies
 * one slot. If other owners wait for a slot, an update that has lasted long gives way.
 */
export class OwnerTurns {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #turns: Turns;

  constructor({ database, jobs }: { database: Database; jobs: Jobs }, turns: Turns) {
    this.#database = database;
    this.#jobs = jobs;
    this.#turns = turns;
    const { kind, lookingName, atOnceMax, patienceMs } = turns;
    const options = { atOnceMax, hasOwnSlots: true, patienceMs } as const;
    jobs.register(kind, ({ ownerId }, run) => this.#run(ownerId, run), options);
    jobs.schedule(lookingName, MIRROR_LIMITS.mirrorsLookedForEveryMs, async () => {
      const owners = await turns.listDueOwners();
      await database.transaction(async (tx) => {
        for (const ownerId of owners) await this.enqueue(tx, ownerId);
      });
    });
  }

  /** Requests the updates of an owner's mirrors that are due. */
  enqueue(tx: Tx, ownerId: number): Promise<void> {
    return this.#jobs.enqueue(tx, this.#turns.kind, { key: `${ownerId}`, payload: { ownerId } });
  }

  /**
   * Updates the mirrors of an owner that are due, one after the other, until it is the turn of other owners.
   *
   * @throws the reason of the signal
   */
  async #run(ownerId: number, run: JobRun): Promise<void> {
    const endsAt = performance.now() + MIRROR_LIMITS.mirrorTurnMs;
    let last: Due | undefined;
    for (;;) {
      const due = await this.#turns.findDue(ownerId);
      if (due === undefined) return;
      if (due.id === last?.id && due.request === last.request) throw new Error(`mirror ${due.id} stays due`);
      if (performance.now() > endsAt || run.giveWay.aborted)
        return this.#database.transaction((tx) => this.enqueue(tx, ownerId));
      await this.#update(due, run);
      last = due;
    }
  }

  /** Updates one mirror. Records a failure; the next update is scheduled in any case. */
  async #update(due: Due, { signal, giveWay, log }: JobRun): Promise<void> {
    const limited = AbortSignal.any([signal, giveWay, AbortSignal.timeout(MIRROR_LIMITS.migrationMs)]);
    try {
      await runFor(callerOf(limited), () => this.#turns.update(due, limited));
    } catch (error) {
      signal.throwIfAborted();
      const why = limited.aborted ? whyLate(giveWay) : failureOfSource(error);
      log.warn({ err: error, mirror: due.id }, this.#turns.whatFailed);
      await this.#turns.fail(due, why ?? 'the update failed at this server: its log has the reason');
    }
  }
}

function whyLate(giveWay: AbortSignal): string {
  return giveWay.aborted
    ? 'the update takes long, and other owners wait: it is tried again'
    : 'the update takes too long';
}

/** All updates of mirrors count as one caller, like one account. */
function callerOf(left: AbortSignal): Caller {
  return { share: 'mirrors', lane: 'mirrors', isAnonymous: false, isServer: false, left };
}

/** Returns the time `ms` from now, when a mirror is due; null for 0, which means only on request. */
export function dueAfter(ms: number): number | null {
  return ms === 0 ? null : currentTimeMs() + ms;
}

/** Returns the delay before the next attempt after several failures. It grows each time, up to `msMax`. */
export function retryAfter(failures: number, msMax: number): number {
  return Math.min(MIRROR_LIMITS.mirrorRetryMs * 2 ** Math.min(failures - 1, 20), msMax);
}
