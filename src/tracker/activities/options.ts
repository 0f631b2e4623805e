import { invalid } from '../../base/core/failure.ts';
import { readTime } from '../../http/time.ts';
import type { Day } from './model.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Reads the day of a feed, in UTC; undefined if it is absent.
 *
 * @throws ForgeError `invalid`
 */
export function dayOf({ date = '' }: { readonly date?: string | undefined }): Day | undefined {
  if (date === '') return undefined;
  const from = readTime(`${date}T00:00:00Z`);
  if (from === undefined) throw invalid('date must be a day, such as 2030-01-31');
  return { from, to: from + DAY_MS };
}
