import type { Paging } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Page } from '../../http/pages/page.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import type { Reactions } from '../../tracker/issues/discussion/reactions/service.ts';
import type { Timelines } from '../../tracker/issues/discussion/timeline/service.ts';
import type { Issue } from '../../tracker/issues/model.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';
import { pagerHtml } from '../parts/lists.ts';
import { counted } from '../parts/numbers.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { agoHtml } from '../parts/time.ts';
import { authorHtml, commentBox, textOrNothing } from './parts/comment-box.ts';
import { commentForm } from './parts/comment-form.ts';
import { reactionsHtml } from './parts/reactions.ts';
import { rightsOf, type ThreadRights } from './parts/rights.ts';
import { stateHtml } from './parts/state.ts';
import { renderedTexts } from './parts/texts.ts';
import { threadScriptHtml } from './parts/thread-script.ts';
import { type SideServices, threadSide } from './parts/thread-side.ts';
import { timelineHtml } from './parts/timeline.ts';
import { hasFormsOf, issueFormPath, issuePath, mayChange, type TrackerView } from './parts/view.ts';

export interface ThreadServices extends SideServices {
  readonly issues: Issues;
  readonly timelines: Timelines;
  readonly reactions: Reactions;
  readonly markdown: Markdown;
}

const ALL_TIMES = { since: undefined, before: undefined };

/** The page of an issue: its text, what happened to it, and what people said. */
export async function threadPage(
  view: TrackerView,
  issue: Issue,
  { page, services }: { readonly page: number; readonly services: ThreadServices },
): Promise<Page> {
  const { repository, number, title } = issue;
  const paging: Paging = { page, limit: WEB_LIMITS.threadEntriesMax };
  const path = {
    repository: { owner: repository.owner.name, name: repository.name },
    number: String(number),
  };
  const entries = await services.timelines.list(view.viewer, path, ALL_TIMES, paging);
  const texts = await renderedTexts(view, services.markdown, [{ id: 0, body: issue.body }, ...entries.items]);
  const comments = entries.items.filter(({ kind }) => kind === 'comment').map(({ id }) => id);
  const reactions = await services.reactions.counts(view.viewer, path, comments);
  const rights = rightsOf(view, issue);
  const first = commentBox(
    {
      ...issue,
      anchor: `issue-${issue.id}`,
      verb: 'opened this',
      // A change of a label, too, moves the time of the last change.
      updatedAt: issue.createdAt,
      content: textOrNothing(texts.get(0) ?? html``, issue.body),
      actions: rights.mayEdit ? html`<a class="quiet" href="${issueFormPath(issue)}/edit">Edit</a>` : html``,
      reactions: reactionsHtml(view, {
        issue,
        commentId: null,
        counts: reactions.get(0) ?? [],
        mayReact: rights.mayComment,
      }),
    },
    view.addresses,
  );
  const pager = threadPager(issue, page, entries.total);
  const where = `${repository.owner.name}/${repository.name}`;
  return {
    title: `${title} #${number} · ${where}`,
    ...hasFormsOf(view),
    hasScript: true,
    head: threadScriptHtml(),
    body: html`${repositoryHeader(view.permitted, issue.isPull ? 'pulls' : 'issues')}
${threadHead(view, issue, rights)}
<div class="columns"><div class="stack">
${page === 1 ? first : html``}${pager}${timelineHtml(view, entries.items, { issue, rights, texts, reactions })}${pager}${answerPart(view, issue, rights)}</div>
${await threadSide(view, issue, { rights, services })}</div>`,
  };
}

/** Returns the title of a thread with its state. */
export function threadHead(view: TrackerView, issue: Issue, rights: ThreadRights): Html {
  const { title, number, createdAt, commentsCount, isLocked, pinOrder } = issue;
  const edit = rights.mayEdit
    ? html`<a class="button small" href="${issueFormPath(issue)}/edit">${icon('pencil')}Edit</a>`
    : html``;
  const create =
    !issue.isPull && mayChange(view, ISSUE.create)
      ? html`<a class="button small" href="${repositoryPath(issue.repository)}/issues/new/choose">${icon('plus')}New issue</a>`
      : html``;
  const locked = isLocked ? html`<span class="badge">${icon('lock')}locked</span>` : html``;
  const pinned = pinOrder > 0 ? html`<span class="badge">pinned</span>` : html``;
  return html`<div class="thread-head"><div class="row"><h1>${title} <span class="quiet">#${number}</span></h1><span class="end row">${edit}${create}</span></div>
<div class="row">${stateHtml(issue)}<span class="quiet">${authorHtml(issue)} opened this ${agoHtml(createdAt)} · ${counted(commentsCount, 'comment')}</span>${locked}${pinned}</div></div>
`;
}

/** Returns the links to the other pages of a long thread; nothing for a thread of one page. */
export function threadPager(issue: Issue, page: number, total: number): Html {
  const last = lastPageOf(total);
  if (last <= 1) return html``;
  const path = issuePath(issue);
  const newest =
    page < last
      ? html`<a href="${path}?page=${last}">Newest entries</a>`
      : html`<a href="${path}">First entries</a>`;
  return html`<div class="notice row" data-pages="${last}"><span>Page ${page} of ${last} of this thread</span><span class="end">${newest}</span></div>
${pagerHtml(path, { page, hasNext: page < last })}`;
}

export function lastPageOf(total: number): number {
  return Math.max(1, Math.ceil(total / WEB_LIMITS.threadEntriesMax));
}

/** Returns the form at the end of a thread, or why there is none. */
export function answerPart(view: TrackerView, issue: Issue, rights: ThreadRights): Html {
  if (rights.mayComment) return commentForm(view, { issue, mayClose: rights.mayEdit });
  const { permitted, token } = view;
  if (permitted.repository.archivedAt !== null)
    return html`<p class="notice">This repository is archived: nothing can be added.</p>`;
  if (token === undefined)
    return html`<p class="notice"><a href="/user/login?redirect_to=${encodeURIComponent(issuePath(issue))}">Sign in</a> to comment.</p>`;
  return issue.isLocked
    ? html`<p class="notice">${icon('lock')} This conversation is locked: only people who may write can comment.</p>`
    : html``;
}
