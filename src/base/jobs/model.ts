import type { Log } from '../core/log.ts';

/** A kind of work with the type of its payload. `defineJob` makes each one once. */
export interface JobKind<Payload> {
  readonly name: string;
  /** never set; carries the type of the payload */
  readonly payload?: Payload;
}

/** @param name must never change, because rows of earlier versions contain it */
export function defineJob<Payload>(name: string): JobKind<Payload> {
  return { name };
}

export interface NewJob<Payload> {
  readonly payload: Payload;
  /**
   * The subject of the work. While work of this kind and key is waiting, another request only replaces the payload and
   * keeps the earlier time. Without a key, each request is separate work.
   */
  readonly key?: string;
  /** minimum delay before the work starts */
  readonly delayMs?: number;
}

/** What a handler receives in addition to its payload. */
export interface JobRun {
  /**
   * Fires when the server stops or the lease is lost. The handler then ends soon, and throws if its work is unfinished.
   */
  readonly signal: AbortSignal;
  /** 1 for the first attempt */
  readonly attempt: number;
  readonly log: Log;
  /** Fires when other work of this kind waits for the slot and this run has lasted for `JobOptions.patienceMs`. */
  readonly giveWay: AbortSignal;
}

/**
 * Does the work. It must be idempotent: it runs again if the process dies after the work and before its result is
 * recorded. The error that it throws is shown as the job's last error.
 */
export type JobHandler<Payload> = (payload: Payload, run: JobRun) => Promise<void>;

export interface JobOptions {
  /** bound within one process; by default only the bound on all jobs applies */
  readonly atOnceMax?: number;
  /** It mostly waits for other servers, so it takes none of the slots that all other work shares. */
  readonly hasOwnSlots?: true;
  /** time after which a run gives way if others of its kind wait for a slot; absent: it never does */
  readonly patienceMs?: number;
}

/** A row that is leased to this process. */
export interface LeasedJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string;
  /** JSON */
  readonly payload: string;
  readonly attempt: number;
  readonly lease: string;
  /** ms */
  readonly leasedAt: number;
}

/** The outcome of one run of a job. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string }
  /** the server stopped during the run, which is no failure of the job */
  | { readonly kind: 'given back' };

/** The state of work that has not ended. */
export interface JobState {
  readonly isRunning: boolean;
  /** number of attempts so far, including a running one */
  readonly attempts: number;
  /** '' without a failed attempt */
  readonly lastError: string;
}

export interface FailedJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  readonly lastError: string;
  /** ms */
  readonly failedAt: number;
}

/** Work that runs in every period. */
export interface RecurringWork {
  readonly kind: string;
  readonly everyMs: number;
  /** ms, when it is due next */
  readonly nextAt: number;
  /** ms, when its last run began; null: it has not run yet */
  readonly lastRunAt: number | null;
  /** number of runs that have ended, successful or not */
  readonly runs: number;
}

export interface JobCounts {
  readonly waiting: number;
  readonly running: number;
  /** number of jobs that were given up */
  readonly failed: number;
}
