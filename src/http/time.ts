/** A time that was never set in storage, as the wire has it. */
export const UNSET_TIME = '1970-01-01T00:00:00Z';
/** A time that this answer does not fill. */
export const NEVER_FILLED = '0001-01-01T00:00:00Z';

/** RFC 3339, whole seconds, UTC. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
