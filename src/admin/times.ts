import { invalid } from '../base/core/failure.ts';
import { readTime } from '../http/time.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a flag with a day or a time, in ms; undefined without the flag. @throws ForgeError `invalid` */
export function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = readTime(DAY.test(text) ? `${text}T00:00:00Z` : text);
  if (ms === undefined)
    throw invalid(`--${name} must be a day or a time, such as 2030-01-31 or 2030-01-31T12:00:00Z`);
  return ms;
}
