import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { JOB_LIMITS } from './limits.ts';
import type { LeasedJob } from './model.ts';
import { extendLease } from './store.ts';

interface LeaseExtension {
  /** Fires when another process may have taken the job. */
  readonly lost: AbortSignal;
  /** Stops extending the lease and waits for a running extension. */
  end(): Promise<void>;
}

/** Extends the lease while the job runs, well before it expires. */
export function extendLeaseWhileRunning(
  job: LeasedJob,
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
): LeaseExtension {
  const ended = new AbortController();
  const lost = new AbortController();
  const beat = async () => {
    try {
      const until = clock.now() + JOB_LIMITS.jobLeaseMs;
      const isExtended = await database.transaction((tx) => extendLease(tx, job, until));
      if (!isExtended) lost.abort(new Error('the lease expired'));
    } catch (error) {
      // There is time for more attempts before the lease expires.
      log.warn({ err: error, job: job.id, kind: job.kind }, 'cannot extend the lease of a job: trying again');
    }
  };
  const beating = (async () => {
    while (!lost.signal.aborted) {
      await clock.wait(JOB_LIMITS.jobLeaseMs / 3, ended.signal);
      if (ended.signal.aborted) return;
      await beat();
    }
  })();
  return {
    lost: lost.signal,
    end() {
      ended.abort();
      return beating;
    },
  };
}
