import { type Html, html } from '../../base/core/text/html.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Contributions } from '../../tracker/activities/model.ts';
import { counted } from '../parts/numbers.ts';

const DAY_MS = 24 * 60 * 60_000;
const WEEKS = 53;
const CELL = 12;
const GAP = 2;
/** Contributions of a day from which its color is the next stronger one. */
const STEPS = [1, 3, 6, 10];

/** Draws what an account did on each day of the last year: a column for each week, which begins on Sunday. */
export function heatmapHtml(contributions: readonly Contributions[]): Html {
  const byDay = new Map<number, number>();
  for (const { seconds, count } of contributions) {
    const day = Math.floor((seconds * 1000) / DAY_MS);
    byDay.set(day, (byDay.get(day) ?? 0) + count);
  }
  const today = Math.floor(currentTimeMs() / DAY_MS);
  const weekday = new Date(today * DAY_MS).getUTCDay();
  const first = today - weekday - (WEEKS - 1) * 7;
  const shown = [...byDay].filter(([day]) => day >= first && day <= today);
  const total = shown.reduce((sum, [, count]) => sum + count, 0);
  const cells = shown.map(([day, count]) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    return html`<rect class="step-${stepOf(count)}" x="${Math.floor((day - first) / 7) * CELL}" y="${((day - first) % 7) * CELL}" width="${CELL - GAP}" height="${CELL - GAP}" rx="2"><title>${counted(count, 'contribution')} on ${date}</title></rect>`;
  });
  const columns = Array.from({ length: WEEKS }, (_, week) =>
    backgroundOf(week, week === WEEKS - 1 ? weekday : 6),
  );
  return html`<figure class="heatmap"><div class="table-scroll" tabindex="0" role="group" aria-label="Contributions of the last year"><svg viewBox="0 0 ${WEEKS * CELL - GAP} ${7 * CELL - GAP}" role="img" aria-label="${counted(total, 'contribution')} in the last year"><path class="step-0" d="${columns.join('')}"/>${cells}</svg></div>
<figcaption class="quiet small">${counted(total, 'contribution')} in the last year</figcaption></figure>
`;
}

function stepOf(count: number): number {
  return STEPS.filter((step) => count >= step).length;
}

/** @param last the last weekday of the week */
function backgroundOf(week: number, last: number): string {
  const size = CELL - GAP;
  const days = Array.from(
    { length: last + 1 },
    (_, day) => `M${week * CELL} ${day * CELL}h${size}v${size}h-${size}z`,
  );
  return days.join('');
}
