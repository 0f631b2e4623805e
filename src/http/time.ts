/** Wire form of a time that was never set. */
export const UNSET_TIME = '1970-01-01T00:00:00Z';
/** Wire form of a time that an answer does not include. */
export const NEVER_FILLED = '0001-01-01T00:00:00Z';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
/** end of the last year with four digits */
export const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Reads a time of RFC 3339; undefined for any other text. */
export function readTime(text: string): number | undefined {
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

const DAY_MS = 24 * 60 * 60 * 1000;
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
