import { isSignedIn } from '../../../api/access/viewer.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import { ISSUE } from '../../../tracker/issues/actions.ts';
import type { Subscriptions } from '../../../tracker/issues/discussion/subscriptions/service.ts';
import { ISSUE_LIMITS } from '../../../tracker/issues/limits.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { usesDependencies } from '../../../tracker/issues/planning/dependencies/rules.ts';
import type { Dependencies } from '../../../tracker/issues/planning/dependencies/service.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { icon } from '../../parts/icons.ts';
import { type ChoiceServices, choicesOf } from './choices.ts';
import type { ThreadRights } from './rights.ts';
import { planningBoxes, sideBox } from './sidebar.ts';
import { stateIcon } from './state.ts';
import { type TimeServices, timesBox } from './times-box.ts';
import { issueFormPath, issuePath, mayChange, postForm, type TrackerView } from './view.ts';

export interface SideServices extends ChoiceServices, TimeServices {
  readonly dependencies: Dependencies;
  readonly subscriptions: Subscriptions;
}

/** Returns what is beside a thread: what it belongs to, and what the viewer can do with it. */
export async function threadSide(
  view: TrackerView,
  issue: Issue,
  {
    rights,
    services,
    first = html``,
    last = html``,
  }: {
    readonly rights: ThreadRights;
    readonly services: SideServices;
    /** boxes of pull requests */
    readonly first?: Html;
    readonly last?: Html;
  },
): Promise<Html> {
  const choices = rights.mayManage ? await choicesOf(view, services) : undefined;
  return html`<aside class="stack tight" aria-label="About this ${issue.isPull ? 'pull request' : 'issue'}">
${first}${planningBoxes(view, issue, choices)}${await dependenciesBox(view, issue, rights, services)}${await timesBox(view, issue, services)}${await notificationsBox(view, issue, services)}${manageBox(view, issue, rights)}${last}</aside>
`;
}

function pathOf({ repository, number }: Issue) {
  return { repository: { owner: repository.owner.name, name: repository.name }, number: String(number) };
}

const FIRST = { page: 1, limit: WEB_LIMITS.threadSideItemsMax };

async function dependenciesBox(
  view: TrackerView,
  issue: Issue,
  { mayManage }: ThreadRights,
  { dependencies }: SideServices,
): Promise<Html> {
  if (!usesDependencies(issue.repository)) return html``;
  const path = pathOf(issue);
  const needed = await dependencies.list(view.viewer, path, 'dependencies', FIRST);
  const blocked = await dependencies.list(view.viewer, path, 'blocks', FIRST);
  if (needed.total === 0 && blocked.total === 0 && !mayManage) return html``;
  const action = `${issueFormPath(issue)}/dependencies`;
  const rows = (items: readonly Issue[], isRemovable: boolean) =>
    items.map((other) => {
      const remove = isRemovable && mayManage ? removeForm(view, action, other) : html``;
      return html`<li class="row">${stateIcon(other)} <a href="${issuePath(other)}">${other.title}</a> <span class="quiet nowrap">${nameIn(issue, other)}</span><span class="end">${remove}</span></li>\n`;
    });
  const list = (title: string, items: readonly Issue[], isRemovable: boolean) =>
    items.length === 0
      ? html``
      : html`<h3 class="small">${title}</h3><ul class="facts">\n${rows(items, isRemovable)}</ul>`;
  const change = mayManage
    ? postForm(view, {
        action,
        look: 'stack tight',
        content: html`<label>Number of the issue that blocks this one<input name="other" maxlength="200" placeholder="12 or owner/repository#12" required></label><button class="primary small">Add</button>`,
      })
    : undefined;
  const nothing = html`<p class="quiet small">None</p>`;
  const content = html`${list('Blocked by', needed.items, true)}${list('Blocks', blocked.items, false)}`;
  return sideBox({
    title: 'Dependencies',
    content: needed.total + blocked.total === 0 ? nothing : content,
    change,
  });
}

function removeForm(view: TrackerView, action: string, other: Issue): Html {
  const { repository, number } = other;
  return postForm(view, {
    action: `${action}/delete`,
    content: html`<input type="hidden" name="other" value="${repository.owner.name}/${repository.name}#${number}"><button class="link" aria-label="Remove the dependency on ${number}" title="Remove">${icon('cross')}</button>`,
  });
}

function nameIn({ repository: { id } }: Issue, { repository, number }: Issue): string {
  return repository.id === id ? `#${number}` : `${repository.owner.name}/${repository.name}#${number}`;
}

async function notificationsBox(
  view: TrackerView,
  issue: Issue,
  { subscriptions }: SideServices,
): Promise<Html> {
  const { viewer } = view;
  if (!isSignedIn(viewer)) return html``;
  const { isSubscribed } = await subscriptions.check(viewer, pathOf(issue));
  const form = postForm(view, {
    action: `${issueFormPath(issue)}/watch`,
    content: html`<input type="hidden" name="watch" value="${isSubscribed ? '0' : '1'}"><button class="small">${isSubscribed ? 'Unsubscribe' : 'Subscribe'}</button>`,
  });
  const words = isSubscribed ? 'You get news of this.' : 'You get no news of this.';
  return sideBox({ title: 'Notifications', content: html`<p class="quiet small">${words}</p>${form}` });
}

function manageBox(view: TrackerView, issue: Issue, { mayManage, mayPin }: ThreadRights): Html {
  const path = issueFormPath(issue);
  const form = (name: string, words: string, fields = html``) =>
    postForm(view, {
      action: `${path}/${name}`,
      content: html`${fields}<button class="small">${words}</button>`,
    });
  const lock = issue.isLocked
    ? form('unlock', 'Unlock the conversation')
    : form(
        'lock',
        'Lock the conversation',
        html`<label class="sr-only" for="lock-reason">Reason of the lock</label><input id="lock-reason" name="reason" maxlength="${ISSUE_LIMITS.issueLockReasonCharsMax}" placeholder="Reason, if you like">`,
      );
  const pin = issue.pinOrder > 0 ? form('unpin', 'Unpin') : form('pin', 'Pin');
  const mayDelete = mayManage && mayChange(view, ISSUE.delete);
  const remove = html`<a class="button small danger" href="${path}/delete">Delete …</a>`;
  if (!mayManage && !mayPin) return html``;
  return sideBox({
    title: 'Manage',
    content: html`<div class="stack tight">${mayManage ? lock : html``}${mayPin ? pin : html``}${mayDelete ? remove : html``}</div>`,
  });
}
