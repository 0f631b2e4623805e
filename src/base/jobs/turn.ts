import type { Clock } from '../core/time/clock.ts';
import { JOB_LIMITS } from './limits.ts';

export interface WatchedTurn {
  /** Fires when the run has had its time and others wait for its slot. */
  readonly giveWay: AbortSignal;
  /** Stops watching, and waits for a look at those who wait. */
  end(): Promise<void>;
}

/**
 * Watches for others that wait for the slot of a run.
 *
 * @param options.patienceMs time that the run has in any case
 * @param options.isWaitedFor never rejects
 */
export function watchTurn({
  clock,
  patienceMs,
  isWaitedFor,
}: {
  clock: Clock;
  patienceMs: number;
  isWaitedFor: () => Promise<boolean>;
}): WatchedTurn {
  const ended = new AbortController();
  const giveWay = new AbortController();
  const watching = (async () => {
    await clock.wait(patienceMs, ended.signal);
    while (!ended.signal.aborted) {
      if (await isWaitedFor()) return giveWay.abort(new Error('others wait for this slot'));
      await clock.wait(JOB_LIMITS.jobTurnWatchedEveryMs, ended.signal);
    }
  })();
  return {
    giveWay: giveWay.signal,
    end() {
      ended.abort();
      return watching;
    },
  };
}
