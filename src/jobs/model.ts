/** A sort of work, and what it has to be told. Made once, by `defineJob`. */
export interface JobKind<Payload> {
  readonly name: string;
  /** carries the type of the payload and nothing else */
  readonly payload?: Payload;
}

/** @param name stays the same for ever: rows of earlier versions carry it */
export function defineJob<Payload>(name: string): JobKind<Payload> {
  return { name };
}

export interface NewJob<Payload> {
  readonly payload: Payload;
  /**
   * What the work is about. While work of the kind and key waits, asking for it again adds nothing: the payload becomes
   * the newer one, the time the earlier one. Absent: this is work of its own.
   */
  readonly key?: string;
  /** not before this much time has passed */
  readonly delayMs?: number;
}

/** What a handler is told besides its payload. */
export interface JobRun {
  /** Fires when the server stops or the lease is lost: end soon, by throwing if the work is not done. */
  readonly signal: AbortSignal;
  /** 1 the first time */
  readonly attempt: number;
}

/**
 * Does the work. It may run again after it was done (the process may die before that is written down), so doing it twice
 * comes to the same. What it throws is the visible last error.
 */
export type JobHandler<Payload> = (payload: Payload, run: JobRun) => Promise<void>;

export interface JobOptions {
  /** in one process; as many as there is room for where absent */
  readonly atOnceMax?: number;
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

/** What becomes of a job when a run of it has ended. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string }
  /** not its fault: the server stops */
  | { readonly kind: 'given back' };

export interface FailedJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  readonly lastError: string;
  /** ms */
  readonly failedAt: number;
}

export interface JobCounts {
  readonly waiting: number;
  readonly running: number;
  /** given up */
  readonly failed: number;
}
