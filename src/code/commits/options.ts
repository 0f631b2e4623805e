import type { CommitTimes } from '../../git/format/commit-times.ts';
import { timeBoundOf } from '../../http/time.ts';

/**
 * Reads which times a list has. Commits have whole seconds.
 *
 * @returns undefined for all times
 * @throws ForgeError `invalid`
 */
export function commitTimesOf(query: {
  readonly since?: string;
  readonly until?: string;
}): CommitTimes | undefined {
  const [since, until] = [timeBoundOf(query, 'since'), timeBoundOf(query, 'until')];
  if (since === undefined && until === undefined) return undefined;
  return {
    since: since === undefined ? null : Math.max(Math.ceil(since / 1000), 0),
    until: until === undefined ? null : Math.floor(until / 1000),
  };
}
