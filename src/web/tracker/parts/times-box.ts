import { isSignedIn, type SignedIn } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import type { TrackedTime } from '../../../tracker/issues/models/times.ts';
import { TIME } from '../../../tracker/issues/planning/times/actions.ts';
import { durationText } from '../../../tracker/issues/planning/times/duration.ts';
import { tracksTime } from '../../../tracker/issues/planning/times/rules.ts';
import type { Times } from '../../../tracker/issues/planning/times/service.ts';
import type { Stopwatches } from '../../../tracker/issues/planning/times/stopwatches.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { icon } from '../../parts/icons.ts';
import { personHtml } from '../../parts/people.ts';
import { sideBox } from './sidebar.ts';
import { issueFormPath, mayChange, postForm, type TrackerView } from './view.ts';

export interface TimeServices {
  readonly times: Times;
  readonly stopwatches: Stopwatches;
}

const FIRST = { page: 1, limit: WEB_LIMITS.threadSideItemsMax };

/** Returns the box of the time that people worked on an issue, with the forms that add time. */
export async function timesBox(
  view: TrackerView,
  issue: Issue,
  { times, stopwatches }: TimeServices,
): Promise<Html> {
  const { viewer } = view;
  const { repository, number } = issue;
  if (!isSignedIn(viewer) || !tracksTime(repository)) return html``;
  const path = {
    repository: { owner: repository.owner.name, name: repository.name },
    number: String(number),
  };
  const found = await times.list(viewer, path, {}, FIRST).catch(undefinedIf('not_found', 'forbidden'));
  const { items = [], total = 0 } = found ?? {};
  const mayAdd = mayChange(view, TIME.change);
  if (total === 0 && !mayAdd) return html``;
  const rest = total - items.length;
  const rows = items.map((time) => timeRow(view, issue, time));
  const list =
    total === 0
      ? html`<p class="quiet small">None</p>`
      : html`<ul class="facts">
${rows}</ul>${rest > 0 ? html`<p class="quiet small">and ${rest} more</p>` : html``}`;
  const watch = mayChange(view, TIME.watch) ? await watchForm(view, viewer, issue, stopwatches) : html``;
  return sideBox({
    title: 'Time spent',
    content: html`${list}${watch}`,
    change: mayAdd ? addForm(view, issue) : undefined,
  });
}

function timeRow(view: TrackerView, issue: Issue, { id, account, accountId, seconds }: TrackedTime): Html {
  const remove =
    accountId === view.viewer.accountId && mayChange(view, TIME.change)
      ? postForm(view, {
          action: `${issueFormPath(issue)}/times/delete`,
          content: html`<input type="hidden" name="time" value="${id}"><button class="link" aria-label="Delete ${durationText(seconds)}" title="Delete">${icon('cross')}</button>`,
        })
      : html``;
  return html`<li class="row">${icon('clock')} ${personHtml(account)} <span class="quiet number">${durationText(seconds)}</span><span class="end">${remove}</span></li>
`;
}

function addForm(view: TrackerView, issue: Issue): Html {
  return postForm(view, {
    action: `${issueFormPath(issue)}/times`,
    look: 'stack tight',
    content: html`<label>Hours<input type="number" name="hours" min="0" max="10000" value="0"></label><label>Minutes<input type="number" name="minutes" min="0" max="59" value="0"></label><button class="primary small">Add time</button>`,
  });
}

async function watchForm(
  view: TrackerView,
  viewer: SignedIn,
  issue: Issue,
  stopwatches: Stopwatches,
): Promise<Html> {
  const { items } = await stopwatches.listOwn(viewer, { page: 1, limit: 1 });
  const isRunning = items.some((running) => running.issue.id === issue.id);
  const button = (value: string, words: string) =>
    html`<button class="small" name="watch" value="${value}">${words}</button>`;
  return postForm(view, {
    action: `${issueFormPath(issue)}/stopwatch`,
    look: 'row',
    content: isRunning
      ? html`${button('stop', 'Stop and add the time')}${button('cancel', 'Discard')}`
      : button('start', 'Start a stopwatch'),
  });
}
