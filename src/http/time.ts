/** A time that was never set in storage, as the wire has it. */
export const UNSET_TIME = '1970-01-01T00:00:00Z';
/** A time that this answer does not fill. */
export const NEVER_FILLED = '0001-01-01T00:00:00Z';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** RFC 3339, whole seconds, UTC. */
export function wireTime(ms: number): string {
  return `${dateOf(ms).toISOString().slice(0, 19)}Z`;
}

/** As headers have it: RFC 9110, section 5.6.7. */
export function headerTime(ms: number): string {
  return dateOf(ms).toUTCString();
}

/** Commits may say any moment; one that no calendar of four digits has is told as the nearest that it has. */
function dateOf(ms: number): Date {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}
