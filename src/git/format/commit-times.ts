/** Times of committers in seconds, both inclusive; null: no bound. */
export interface CommitTimes {
  readonly since: number | null;
  readonly until: number | null;
}

/** @param times undefined: all times */
export function isWithin(times: CommitTimes | undefined, seconds: number): boolean {
  if (times === undefined) return true;
  return seconds >= (times.since ?? -Infinity) && seconds <= (times.until ?? Infinity);
}

/** Whether no commit is within these times. git reads no times before 1970. */
export function areNever({ since, until }: CommitTimes): boolean {
  return until !== null && until < Math.max(since ?? 0, 0);
}
