import { randomUUID } from 'node:crypto';
import { type Log, SILENT_LOG } from '../core/log.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/time/clock.ts';
import { Loop } from '../core/time/loop.ts';
import type { Database, Tx } from '../database/database.ts';
import { hintAfterCommit } from '../database/hints-after-commit.ts';
import { onRestedHint } from '../database/rested-hints.ts';
import { EVENT_LIMITS } from '../events/limits.ts';
import { JOB_LIMITS } from './limits.ts';
import type {
  FailedJob,
  JobCounts,
  JobHandler,
  JobKind,
  JobOptions,
  JobState,
  NewJob,
  RecurringWork,
} from './model.ts';
import {
  countJobs,
  findJob,
  findNextDueAt,
  insertJobs,
  insertRecurringJobs,
  listFailedJobs,
  listRecurring,
  listRecurringKinds,
  moveWaitingJobs,
  setFailedDue,
  setRecurringDue,
} from './store.ts';
import { type Registration, Worker } from './worker.ts';

/**
 * Work that must not be lost. The transaction that makes it necessary requests it, any process does it soon afterwards,
 * and failures are retried.
 */
export class Jobs {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #registrations = new Map<string, Registration>();
  readonly #worker: Worker;
  readonly #loop: Loop;
  #log: Log = SILENT_LOG;
  #unsubscribe: () => void = () => {};
  #isSeeded = false;

  constructor(options: { database: Database; clock?: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#loop = new Loop({ clock: this.#clock, step: () => this.#step() });
    this.#worker = new Worker({
      database: this.#database,
      clock: this.#clock,
      log: {
        info: (details, message) => this.#log.info(details, message),
        warn: (details, message) => this.#log.warn(details, message),
      },
      registrations: this.#registrations,
      onEnded: () => this.#loop.wake(),
    });
  }

  /** Registers the handler for a kind of work. Work of unregistered kinds waits for processes that registered them. */
  register<Payload>(kind: JobKind<Payload>, handler: JobHandler<Payload>, options: JobOptions = {}): void {
    this.#add(kind.name, {
      handler: handler as JobHandler<unknown>,
      atOnceMax: options.atOnceMax ?? JOB_LIMITS.jobsAtOnceMax,
      hasOwnSlots: options.hasOwnSlots === true,
      patienceMs: options.patienceMs ?? null,
      everyMs: null,
    });
  }

  /**
   * Registers recurring work. It runs once in every `everyMs`, independent of the number of processes, and first after
   * `everyMs`. Failures are retried like those of other work, and the next period starts it again in any case.
   */
  schedule(name: string, everyMs: number, handler: JobHandler<unknown>): void {
    this.#add(name, { handler, atOnceMax: 1, hasOwnSlots: false, patienceMs: null, everyMs });
  }

  #add(name: string, registration: Registration): void {
    if (this.#registrations.has(name)) throw new Error(`the job ${name} already has a handler`);
    this.#registrations.set(name, registration);
  }

  /** Requests work, which runs if and only if the transaction commits. */
  enqueue<Payload>(tx: Tx, kind: JobKind<Payload>, job: NewJob<Payload>): Promise<void> {
    return this.enqueueAll(tx, kind, [job]);
  }

  /** Requests work as `enqueue` does, with one statement. @param jobs with different keys, in a number that is bounded */
  async enqueueAll<Payload>(tx: Tx, kind: JobKind<Payload>, jobs: readonly NewJob<Payload>[]): Promise<void> {
    if (jobs.length === 0) return;
    const now = this.#clock.now();
    const rows = jobs.map(({ key, payload, delayMs = 0 }) => ({
      key: key ?? randomUUID(),
      payload: JSON.stringify(payload),
      runAt: now + delayMs,
      now,
    }));
    await insertJobs(tx, kind.name, rows);
    hintAfterCommit(tx, 'jobs');
  }

  /** Runs due work until `stop`. */
  start(options: { log?: Log } = {}): void {
    this.#log = options.log ?? SILENT_LOG;
    this.#unsubscribe = onRestedHint(this.#database, 'jobs', () => this.#loop.wake());
    this.#loop.start();
  }

  /**
   * Starts no more work and waits a bounded time for running jobs. Jobs that stop early return to the queue. Jobs that
   * do not end pass to another process when their leases expire.
   */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([this.#loop.stop(), this.#worker.stop()]);
  }

  /** @returns ms until there may be something to do */
  async #step(): Promise<number> {
    try {
      await this.#seed();
      await this.#worker.startDue({ dueBy: this.#clock.now(), without: [] });
      const kinds = this.#worker.kindsWithRoom();
      const next = kinds.length === 0 ? undefined : await this.#nextDueAt(kinds);
      const waitMs = next === undefined ? EVENT_LIMITS.hintsMissedMs : next - this.#clock.now();
      return Math.min(Math.max(waitMs, 0), EVENT_LIMITS.hintsMissedMs);
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot look for due jobs: trying again');
      return EVENT_LIMITS.hintsMissedMs;
    }
  }

  #nextDueAt(kinds: readonly string[]): Promise<number | undefined> {
    return findNextDueAt(this.#database.reader, kinds, this.#clock.now());
  }

  async #seed(): Promise<void> {
    if (this.#isSeeded) return;
    const now = this.#clock.now();
    const recurring = [...this.#registrations].flatMap(([kind, { everyMs }]) =>
      everyMs === null ? [] : [{ kind, runAt: now + everyMs }],
    );
    const kinds = recurring.map(({ kind }) => kind);
    const known = kinds.length === 0 ? [] : await listRecurringKinds(this.#database.reader, kinds);
    const missing = recurring.filter(({ kind }) => !known.includes(kind));
    if (missing.length > 0) {
      await this.#database.transaction((tx) => insertRecurringJobs(tx, missing, now));
    }
    this.#isSeeded = true;
  }

  /**
   * Runs all work that is due now, and all work that it requests, to the end. Recurring and failing jobs run once.
   *
   * @param options.aheadMs also runs work that is due within this time
   * @returns the number of runs
   */
  async runDue(options: { aheadMs?: number } = {}): Promise<number> {
    await this.#seed();
    const notAgain = new Set<number>();
    for (let count = 0; ; ) {
      const dueBy = this.#clock.now() + (options.aheadMs ?? 0);
      const started = await this.#worker.startDue({ dueBy, without: [...notAgain] });
      if (started.length === 0 && this.#worker.runningCount === 0) return count;
      count += started.length;
      for (const { id, isRecurring, outcome } of started) {
        if (isRecurring || (await outcome).kind !== 'done') notAgain.add(id);
      }
      await this.#worker.idle();
    }
  }

  /** Postpones all waiting work, for the server of a copied database; a negative time makes it due earlier. */
  async postpone(ms: number): Promise<void> {
    await this.#database.transaction((tx) => moveWaitingJobs(tx, ms));
  }

  /** Finds work that has not ended; undefined once it is done. */
  find(kind: JobKind<unknown>, key: string): Promise<JobState | undefined> {
    return findJob(this.#database.reader, kind.name, key);
  }

  /** Lists the recurring work that this process has registered, in the order of registration. */
  async listRecurring(): Promise<readonly RecurringWork[]> {
    await this.#seed();
    const scheduled = [...this.#registrations].flatMap(([kind, { everyMs }]) =>
      everyMs === null ? [] : [{ kind, everyMs }],
    );
    const rows = await listRecurring(
      this.#database.reader,
      scheduled.map(({ kind }) => kind),
    );
    const byKind = new Map(rows.map((row) => [row.kind, row]));
    return scheduled.map(({ kind, everyMs }) => {
      const { nextAt = null, lastRunAt = null, runs = 0 } = byKind.get(kind) ?? {};
      return { kind, everyMs, nextAt: nextAt ?? this.#clock.now() + everyMs, lastRunAt, runs };
    });
  }

  /** Makes recurring work due now. If it is running, it runs once more afterwards. */
  async requestRecurring(tx: Tx, kinds: readonly string[]): Promise<void> {
    await setRecurringDue(tx, kinds, this.#clock.now());
    hintAfterCommit(tx, 'jobs');
  }

  count(): Promise<JobCounts> {
    return countJobs(this.#database.reader, this.#clock.now());
  }

  /** Lists jobs that were given up and have not succeeded since, latest first. */
  listFailed(): Promise<readonly FailedJob[]> {
    return listFailedJobs(this.#database.reader, JOB_LIMITS.failedJobsListedMax);
  }

  /** Retries jobs that were given up. @returns the number of jobs */
  retryFailed(): Promise<number> {
    return this.#database.transaction(async (tx) => {
      const count = await setFailedDue(tx, this.#clock.now());
      hintAfterCommit(tx, 'jobs');
      return count;
    });
  }
}
