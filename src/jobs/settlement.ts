import { LIMITS } from '../core/limits.ts';
import type { Outcome } from './model.ts';

/** The leased row as it is when the run has ended. */
export interface EndedRow {
  readonly attempts: number;
  /** work of this kind and key was asked for while it ran */
  readonly isWantedAgain: boolean;
  readonly runAt: number | null;
  readonly lastError: string | null;
  readonly failedAt: number | null;
}

/** The columns a row goes on with. */
export interface NextRow {
  readonly attempts: number;
  /** null: not again by itself */
  readonly runAt: number | null;
  readonly lastError: string | null;
  readonly failedAt: number | null;
}

/**
 * What a row becomes after a run; null: it goes away.
 *
 * @param when.nextPeriodAt when recurring work is due again; null for work that is done once
 */
export function settle(
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
  if (attempts < LIMITS.jobAttemptsMax) return { attempts, runAt, lastError, failedAt };
  // Whoever asked for it meanwhile gets all attempts, and waits as long as a further one would have.
  if (row.isWantedAgain) return { attempts: 0, runAt, lastError, failedAt };
  return { attempts: nextPeriodAt === null ? attempts : 0, runAt: nextPeriodAt, lastError, failedAt: now };
}

/** @param attempt the one that failed, 1 for the first */
export function retryDelayMs(attempt: number): number {
  return Math.min(LIMITS.jobRetryMsMin * 2 ** (attempt - 1), LIMITS.jobRetryMsMax);
}
