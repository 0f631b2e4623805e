import { ForgeError, invalid } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';

/** @throws ForgeError `invalid` */
export function sizeOf(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw invalid('the size must be a whole number of bytes');
}

/**
 * Reads the id of a lock. Returns 0, which no lock has, for a number that cannot be an id.
 *
 * @throws ForgeError `bad_request`
 */
export function lockIdOf(text: string): number {
  if (!/^-?\d+$/.test(text))
    throw new ForgeError({ kind: 'bad_request', what: 'the id of a lock is a number' });
  return parseId(text) ?? 0;
}

/** Reads the number of a page. An invented cursor leads to the first page. */
export function cursorOf(cursor: string | number | undefined): number {
  const page = Number(cursor ?? 0);
  return Number.isSafeInteger(page) ? page : 0;
}
