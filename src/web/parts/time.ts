import { type Html, html } from '../../base/core/text/html.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { wireTime } from '../../http/time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** Returns how long ago a time is, with the exact time in UTC, which people see when they point at it. */
export function agoHtml(ms: number): Html {
  return html`<time datetime="${wireTime(ms)}" title="${exactTime(ms)}">${agoText(ms)}</time>`;
}

/** Returns a day, such as a deadline. */
export function dayHtml(ms: number): Html {
  const text = wireTime(ms);
  return html`<time datetime="${text}" title="${exactTime(ms)}">${text.slice(0, 10)}</time>`;
}

function exactTime(ms: number): string {
  const text = wireTime(ms);
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

/** @param ms the time; a time to come gives `in 2 days` */
function agoText(ms: number): string {
  const since = currentTimeMs() - ms;
  const [unit, length] = UNITS.find(([, unitMs]) => Math.abs(since) >= unitMs) ?? ['minute', MINUTE];
  const count = Math.floor(Math.abs(since) / length);
  if (count === 0) return 'just now';
  const amount = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return since >= 0 ? `${amount} ago` : `in ${amount}`;
}
