import { randomUUID } from 'node:crypto';
import { KeyedLock } from '../core/fairness/keyed-lock.ts';
import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { extendLeaseWhileRunning } from './lease.ts';
import { JOB_LIMITS } from './limits.ts';
import type { JobHandler, LeasedJob, Outcome } from './model.ts';
import { rowAfter } from './row-after-run.ts';
import { type DueJob, deleteJob, leaseJob, listDueJobs, lockEndedJob, setNextRow } from './store.ts';
import { type WatchedTurn, watchTurn } from './turn.ts';

/** The handler of one kind of work in this process. */
export interface Registration {
  readonly handler: JobHandler<unknown>;
  readonly atOnceMax: number;
  /** whether the bound on all jobs does not apply */
  readonly hasOwnSlots: boolean;
  /** null: a run never gives way to others */
  readonly patienceMs: number | null;
  /** ms from one start to the next; null for work that runs on request */
  readonly everyMs: number | null;
}

/** A started run. */
export interface Started {
  readonly id: number;
  readonly isRecurring: boolean;
  readonly outcome: Promise<Outcome>;
}

const WHY_STOPPED = 'the server is stopping';

interface Dependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly registrations: ReadonlyMap<string, Registration>;
  readonly onEnded: () => void;
}

/** Runs due jobs in this process with bounded concurrency. */
export class Worker {
  readonly #use: Dependencies;
  readonly #running = new Map<Promise<Outcome>, LeasedJob>();
  readonly #leasing = new KeyedLock();
  /** by kind, the job that gives way now, until its slot is free */
  readonly #givingWay = new Map<string, number>();
  readonly #stopping = new AbortController();

  constructor(options: Dependencies) {
    this.#use = options;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Returns the kinds of which this process can start another job. */
  kindsWithRoom(): readonly string[] {
    return [...this.#use.registrations.keys()].filter((kind) => this.#hasRoomFor(kind));
  }

  #hasRoomFor(kind: string): boolean {
    if (this.#stopping.signal.aborted) return false;
    const { atOnceMax = 0, hasOwnSlots = false } = this.#use.registrations.get(kind) ?? {};
    const running = [...this.#running.values()];
    const ofKind = running.filter((job) => job.kind === kind).length;
    const sharing = running.filter(
      (job) => this.#use.registrations.get(job.kind)?.hasOwnSlots !== true,
    ).length;
    return ofKind < atOnceMax && (hasOwnSlots || sharing < JOB_LIMITS.jobsAtOnceMax);
  }

  /**
   * Starts due jobs while there are free slots.
   *
   * @param options.dueBy ms; jobs that are due by then count as due now
   * @param options.without ids of rows to skip
   */
  startDue(options: { dueBy: number; without: readonly number[] }): Promise<readonly Started[]> {
    // One caller at a time, so that two do not take the same slot.
    return this.#leasing.run('', async () => {
      const started: Started[] = [];
      for (;;) {
        const kinds = this.kindsWithRoom();
        // Skips jobs that this call started, because they may have failed already.
        const without = [...options.without, ...started.map(({ id }) => id)];
        const due = kinds.length === 0 ? [] : await this.#listDue(kinds, { ...options, without });
        if (due.length === 0 || started.length >= JOB_LIMITS.jobsStartedInOneGoMax) return started;
        for (const { id, kind } of due) {
          const job = this.#hasRoomFor(kind) ? await this.#lease(id, options.dueBy) : undefined;
          if (job !== undefined) started.push(this.#begin(job));
        }
      }
    });
  }

  #listDue(
    kinds: readonly string[],
    options: { dueBy: number; without: readonly number[] },
  ): Promise<readonly DueJob[]> {
    const now = this.#use.clock.now();
    return listDueJobs(this.#use.database.reader, {
      ...options,
      kinds,
      now,
      limit: JOB_LIMITS.jobsAtOnceMax,
    });
  }

  #lease(id: number, dueBy: number): Promise<LeasedJob | undefined> {
    const now = this.#use.clock.now();
    const terms = { lease: randomUUID(), until: now + JOB_LIMITS.jobLeaseMs, dueBy, now };
    return this.#use.database.transaction((tx) => leaseJob(tx, id, terms));
  }

  #begin(job: LeasedJob): Started {
    const outcome = this.#run(job).finally(() => {
      this.#running.delete(outcome);
      this.#stay(job);
      this.#use.onEnded();
    });
    this.#running.set(outcome, job);
    return { id: job.id, isRecurring: this.#everyMs(job) !== null, outcome };
  }

  #everyMs(job: LeasedJob): number | null {
    return this.#use.registrations.get(job.kind)?.everyMs ?? null;
  }

  async #run(job: LeasedJob): Promise<Outcome> {
    const outcome = await this.#work(job);
    try {
      await this.#recordOutcome(job, outcome);
    } catch (error) {
      // The lease expires, and the job runs again.
      this.#use.log.warn(
        { err: error, job: job.id, kind: job.kind },
        'cannot record the end of a job: it will run again',
      );
    }
    return outcome;
  }

  async #work(job: LeasedJob): Promise<Outcome> {
    if (job.attempt > JOB_LIMITS.jobAttemptsMax) {
      return { kind: 'failed', error: 'the process ended during each attempt' };
    }
    const lease = extendLeaseWhileRunning(job, {
      database: this.#use.database,
      clock: this.#use.clock,
      log: this.#use.log,
    });
    const turn = this.#watchTurn(job);
    const signal = AbortSignal.any([this.#stopping.signal, lease.lost]);
    try {
      const handler = this.#use.registrations.get(job.kind)?.handler;
      const { giveWay } = turn;
      await handler?.(JSON.parse(job.payload), { signal, attempt: job.attempt, log: this.#use.log, giveWay });
      return { kind: 'done' };
    } catch (error) {
      if (this.#stopping.signal.aborted) return { kind: 'given back' };
      const { id, kind, key, attempt } = job;
      this.#use.log.warn({ err: error, job: id, kind, key, attempt }, 'a job failed');
      return { kind: 'failed', error: textOf(error) };
    } finally {
      await Promise.all([lease.end(), turn.end()]);
    }
  }

  #watchTurn(job: LeasedJob): WatchedTurn {
    const { patienceMs = null } = this.#use.registrations.get(job.kind) ?? {};
    if (patienceMs === null) return { giveWay: new AbortController().signal, end: async () => {} };
    return watchTurn({ clock: this.#use.clock, patienceMs, isWaitedFor: () => this.#givesWay(job) });
  }

  /** Whether a job is to give way, because work of its kind waits for a slot. One job at a time does. */
  async #givesWay(job: LeasedJob): Promise<boolean> {
    const { id, kind } = job;
    if (this.#hasRoomFor(kind) || this.#givingWay.has(kind)) return false;
    this.#givingWay.set(kind, id);
    try {
      // A running job whose lease has expired does not wait for itself.
      const without = [...this.#running.values()].map((running) => running.id);
      const waiting = await this.#listDue([kind], { dueBy: this.#use.clock.now(), without });
      if (waiting.length > 0) return true;
    } catch (error) {
      this.#use.log.warn({ err: error, kind }, 'cannot look for waiting jobs: trying again');
    }
    this.#stay(job);
    return false;
  }

  #stay({ id, kind }: LeasedJob): void {
    if (this.#givingWay.get(kind) === id) this.#givingWay.delete(kind);
  }

  async #recordOutcome(job: LeasedJob, outcome: Outcome): Promise<void> {
    const everyMs = this.#everyMs(job);
    const now = this.#use.clock.now();
    const nextPeriodAt = everyMs === null ? null : Math.max(job.leasedAt + everyMs, now);
    await this.#use.database.transaction(async (tx) => {
      const row = await lockEndedJob(tx, job);
      // Another process has leased the job and will record its end.
      if (row === undefined) return;
      const next = rowAfter(row, outcome, { now, nextPeriodAt });
      const endedRunAt = everyMs === null || outcome.kind === 'given back' ? null : job.leasedAt;
      await (next === null ? deleteJob(tx, job.id) : setNextRow(tx, job.id, { ...next, endedRunAt }));
    });
  }

  /** Waits until no job is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running.keys()]);
  }

  /** Starts no more jobs, signals running ones to end, and waits for them for a bounded time. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error(WHY_STOPPED));
    // Waits for a concurrent lease, whose job is running afterwards.
    await this.#leasing.run('', async () => {});
    const ended = new AbortController();
    const idle = this.idle().then(() => ended.abort());
    await Promise.race([idle, this.#use.clock.wait(JOB_LIMITS.jobStopWaitMs, ended.signal)]);
  }
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // PostgreSQL rejects NUL in text.
  return text.replaceAll('\0', '').slice(0, JOB_LIMITS.jobErrorCharsMax);
}
