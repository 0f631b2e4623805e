import { JOB_LIMITS } from './limits.ts';
import type { Outcome } from './model.ts';

/** The leased row at the end of a run. */
export interface EndedRow {
  readonly attempts: number;
  /** work of this kind and key was requested during the run */
  readonly isWantedAgain: boolean;
  readonly runAt: number | null;
  readonly lastError: string | null;
  readonly failedAt: number | null;
}

/** The columns of a row after a run. */
export interface NextRow {
  readonly attempts: number;
  /** null: does not run again without a request */
  readonly runAt: number | null;
  readonly lastError: string | null;
  readonly failedAt: number | null;
}

/**
 * Decides the columns of a row after a run; null deletes the row.
 *
 * @param when.nextPeriodAt next time of recurring work; null for other work
 */
export function rowAfter(
  row: EndedRow,
  outcome: Outcome,
  when: { now: number; nextPeriodAt: number | null },
): NextRow | null {
  if (outcome.kind === 'given back') return { ...row, attempts: row.attempts - 1 };
  if (outcome.kind === 'done') {
    if (!row.isWantedAgain && when.nextPeriodAt === null) return null;
    const runAt = row.isWantedAgain ? row.runAt : when.nextPeriodAt;
    return { attempts: 0, runAt, lastError: null, failedAt: null };
  }
  return afterFailure(row, outcome.error, when);
}

function afterFailure(
  row: EndedRow,
  lastError: string,
  { now, nextPeriodAt }: { now: number; nextPeriodAt: number | null },
): NextRow {
  const { attempts, failedAt } = row;
  const runAt = now + retryDelayMs(attempts);
  if (attempts < JOB_LIMITS.jobAttemptsMax) return { attempts, runAt, lastError, failedAt };
  // A request during the run gets all attempts, after the delay of a retry.
  if (row.isWantedAgain) return { attempts: 0, runAt, lastError, failedAt };
  return { attempts: nextPeriodAt === null ? attempts : 0, runAt: nextPeriodAt, lastError, failedAt: now };
}

/** @param attempt number of the failed attempt, 1 for the first */
export function retryDelayMs(attempt: number): number {
  return Math.min(JOB_LIMITS.jobRetryMsMin * 2 ** (attempt - 1), JOB_LIMITS.jobRetryMsMax);
}
