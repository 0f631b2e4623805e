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

/** Formats a time as RFC 3339, in whole seconds, UTC. */
export function wireTime(ms: number): string {
  return `${dateOf(ms).toISOString().slice(0, 19)}Z`;
}

/** Formats a time for a header: RFC 9110, section 5.6.7. */
export function headerTime(ms: number): string {
  return dateOf(ms).toUTCString();
}

/** Commits may have any time. Clamps it to years of four digits. */
function dateOf(ms: number): Date {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}
