import type { Found } from './model.ts';

const SPENT = /(?<=^|[\s([|])@((?:\d{1,9}(?:[.,]\d{1,9})?[wdmh])+)(?=$|[\s)\]|]|[:;,.?!](?:\s|$))/g;
const PART = /(\d+(?:[.,]\d+)?)([wdmh])/g;

const HOUR = 60 * 60;
/** A day of work has eight hours, and a week five days. */
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: HOUR, d: 8 * HOUR, w: 40 * HOUR };

/**
 * Returns the reports of work in a text, such as `@1h30m`, by the issue reference that each one belongs to: the last one
 * before it, or the first one of the text. Only the first report of a reference counts.
 *
 * @param found references in the order of the text
 */
export function spentSecondsIn(text: string, found: readonly Found[]): ReadonlyMap<Found, number> {
  const issues = found.filter(({ kind }) => kind === 'issue');
  const spent = new Map<Found, number>();
  let next = 0;
  for (const match of text.matchAll(SPENT)) {
    while (next < issues.length && (issues[next]?.end ?? 0) < match.index) next += 1;
    const issue = issues[Math.max(0, next - 1)];
    if (issue !== undefined && !spent.has(issue)) spent.set(issue, secondsOf(match[1] ?? ''));
  }
  return spent;
}

function secondsOf(report: string): number {
  const parts = [...report.matchAll(PART)].map(
    ([, amount = '0', unit = 'm']) => Number(amount.replace(',', '.')) * (SECONDS[unit] ?? 0),
  );
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(parts.reduce((sum, seconds) => sum + seconds, 0)));
}
