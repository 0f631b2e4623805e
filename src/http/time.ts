import { invalid } from '../base/core/failure.ts';

/** Wire form of a time that was never set. */
export const UNSET_TIME = '1970-01-01T00:00:00Z';
/** Wire form of a time that an answer does not include. */
export const NEVER_FILLED = '0001-01-01T00:00:00Z';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
/** end of the last year with four digits */
export const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
/** A time in a query whose zone begins with a plus sign that was not encoded. A space has arrived instead. */
const UNENCODED_PLUS = / (\d{2}:\d{2})$/;

/** Reads a time of RFC 3339, in ms; undefined for any other text. */
export function readTime(text: string): number | undefined {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(text);
  // The parser takes April 31 for May 1.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(ms) || Number(day) > lastDay ? undefined : ms;
}

/** Reads a time of RFC 3339 from a query, in ms; undefined for any other text. */
export function readQueryTime(text: string): number | undefined {
  return readTime(text.trim().replace(UNENCODED_PLUS, '+$1'));
}

/**
 * Reads a parameter that bounds the times of a list, in ms; undefined if it is absent.
 *
 * @throws ForgeError `invalid`
 */
export function timeBoundOf<Name extends string>(
  query: { readonly [name in Name]?: string | undefined },
  name: Name,
): number | undefined {
  const text = query[name] ?? '';
  if (text === '') return undefined;
  const ms = readQueryTime(text);
  if (ms === undefined)
    throw invalid(`${name} must be an RFC 3339 date and time, such as 2030-01-31T00:00:00Z`);
  return ms;
}

/** Reads the last second of the day that a time of RFC 3339 names in its own zone, in ms; undefined for any other text. */
export function readDueDay(text: string): number | undefined {
  if (readTime(text) === undefined) return undefined;
  return Date.parse(`${text.slice(0, 'YYYY-MM-DD'.length)}T23:59:59Z`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Reads a due time of RFC 3339, in ms and whole seconds; undefined for any other text. A time that is on another day in
 * UTC than in its own zone becomes the nearest second of the day that it names.
 */
export function readDueTime(text: string): number | undefined {
  const [ms, lastSecond] = [readTime(text), readDueDay(text)];
  if (ms === undefined || lastSecond === undefined) return undefined;
  const firstSecond = lastSecond + 1000 - DAY_MS;
  return Math.min(Math.max(Math.floor(ms / 1000) * 1000, firstSecond), lastSecond);
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** The day of the latest time: the next one is often of the same day. */
let day = Number.NaN;
let dayText = '';

/**
 * Formats a time as RFC 3339, in whole seconds, UTC.
 *
 * @param ms a whole number
 */
export function wireTime(ms: number): string {
  // A page of records has hundreds of times, and a Date for each takes six times as long.
  const clamped = yearsOfFourDigits(ms);
  const dayOf = Math.floor(clamped / DAY_MS);
  if (dayOf !== day) {
    dayText = new Date(dayOf * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    day = dayOf;
  }
  const seconds = Math.floor((clamped - dayOf * DAY_MS) / 1000);
  const minutes = Math.floor(seconds / 60);
  const [hour, minute] = [TWO_DIGITS[Math.floor(minutes / 60)], TWO_DIGITS[minutes % 60]];
  return `${dayText}T${hour}:${minute}:${TWO_DIGITS[seconds % 60]}Z`;
}

/** Formats a time for a header: RFC 9110, section 5.6.7. */
export function headerTime(ms: number): string {
  return new Date(yearsOfFourDigits(ms)).toUTCString();
}

/** Commits may have any time. */
function yearsOfFourDigits(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS);
}
