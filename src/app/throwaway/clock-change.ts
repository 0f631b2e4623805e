import { type ClockChange, LAST_MS } from './clock.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(-?\d+(?:\.\d+)?)([smhd])$/;
/** With a time zone, because a test must not depend on the zone of its machine. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

const FIELDS = ['set', 'advance', 'freeze'];
const USAGE =
  'send a JSON object with "set" (such as "2030-01-31T12:00:00Z"), "advance" (seconds, or such as "90m" or "30d") or "freeze" (true or false)';

interface Problem {
  readonly problem: string;
}

/** Reads a change of the clock from JSON. */
export function readClockChange(body: unknown): ClockChange | Problem {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { problem: USAGE };
  const fields = Object.keys(body);
  const unknown = fields.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return { problem: `${unknown}: unknown: ${USAGE}` };
  if (fields.length === 0) return { problem: USAGE };
  const { set, advance, freeze } = body as Readonly<Record<string, unknown>>;
  const setMs = set === undefined ? undefined : readTime(set);
  if (setMs === null)
    return { problem: 'set: not a time from 1970 to 9998 with a time zone, such as 2030-01-31T12:00:00Z' };
  const advanceMs = advance === undefined ? undefined : readDuration(advance);
  if (advanceMs === null)
    return { problem: 'advance: not a number of seconds, nor a text such as 30s, 90m, 12h or 30d' };
  if (freeze !== undefined && typeof freeze !== 'boolean')
    return { problem: 'freeze: neither true nor false' };
  return {
    ...(setMs === undefined ? {} : { setMs }),
    ...(advanceMs === undefined ? {} : { advanceMs }),
    ...(freeze === undefined ? {} : { freeze }),
  };
}

/** @returns ms UTC; null for anything else */
export function readTime(value: unknown): number | null {
  const ms = typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
  return ms >= 0 && ms < LAST_MS ? ms : null;
}

/** @returns ms; null for anything else */
function readDuration(value: unknown): number | null {
  if (typeof value === 'number') return boundedMs(value * 1_000);
  const [, count = '', unit = ''] = typeof value === 'string' ? (DURATION.exec(value) ?? []) : [];
  return count === '' ? null : boundedMs(Number(count) * (UNITS_MS[unit] ?? Number.NaN));
}

function boundedMs(ms: number): number | null {
  return Math.abs(ms) < LAST_MS ? Math.round(ms) : null;
}
