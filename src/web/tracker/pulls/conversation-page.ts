import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Page } from '../../../http/pages/page.ts';
import type { TimelineEntry } from '../../../tracker/issues/models/timeline.ts';
import { splitSuggestions } from '../../../tracker/pulls/reviews/suggestions/blocks.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { commentBox, textOrNothing } from '../parts/comment-box.ts';
import { reactionsHtml } from '../parts/reactions.ts';
import { rightsOf, type ThreadRights } from '../parts/rights.ts';
import { renderedTexts } from '../parts/texts.ts';
import { threadScriptHtml } from '../parts/thread-script.ts';
import { threadSide } from '../parts/thread-side.ts';
import { timelineHtml } from '../parts/timeline.ts';
import { hasFormsOf, postForm } from '../parts/view.ts';
import { answerPart, threadPager } from '../thread-page.ts';
import { countCommits, pullHead } from './head.ts';
import { type MergeBox, mergeBox } from './merging/merge-box.ts';
import { reviewBox, type ShownReviews } from './reviewing/review-box.ts';
import { reviewersBox } from './reviewing/reviewers-box.ts';
import type { PullTools } from './tools.ts';
import { mayWriteHead, type PullView, pathOf, pullPath } from './view.ts';

const ALL_TIMES = { since: undefined, before: undefined };

/** The page of a pull request: its text, what happened to it, and its merge. */
export async function conversationPage(view: PullView, number: number, tools: PullTools): Promise<Page> {
  const { viewer, pull } = view;
  const { issue } = pull;
  const path = pathOf(pull);
  const paging = { page: number, limit: WEB_LIMITS.threadEntriesMax };
  const entries = await tools.timelines.list(viewer, path, ALL_TIMES, paging);
  const rights = rightsOf(view, issue);
  const commentIds = entries.items.filter(({ kind }) => kind === 'comment').map(({ id }) => id);
  const reactions = await tools.reactions.counts(viewer, path, commentIds);
  const texts = await renderedTexts(view, tools.markdown, [
    { id: 0, body: issue.body },
    ...entries.items.filter(({ kind }) => kind === 'comment' || kind === 'review'),
  ]);
  const reviews = await shownReviews(view, entries.items, { texts, tools });
  const thread = {
    issue,
    rights,
    texts,
    reactions,
    special: (entry: TimelineEntry) => reviewBox(view, entry, reviews),
  };
  const standing = await tools.reviewOverviews.listStanding(viewer, path);
  const pager = threadPager(issue, number, entries.total);
  const body = html`${pullHead(view, '', await countCommits(view, tools))}<div class="columns"><div class="stack">
${number === 1 ? firstBox(view, texts.get(0), { rights, reactions: reactions.get(0) ?? [] }) : html``}${pager}${entries.items.length === 0 ? html`` : timelineHtml(view, entries.items, thread)}${pager}
${mergeBox(view, await mergeFacts(view, standing, tools))}${answerPart(view, issue, rights)}</div>
${await threadSide(view, issue, { rights, services: tools, first: await reviewersPart(view, standing, tools), last: draftForm(view) })}</div>`;
  const { owner, name } = pull.base.repository;
  return {
    title: `${issue.title} #${issue.number} · ${owner.name}/${name}`,
    head: threadScriptHtml(),
    hasScript: true,
    body,
    ...hasFormsOf(view),
  };
}

function firstBox(
  view: PullView,
  text: Html | undefined,
  {
    rights,
    reactions,
  }: { readonly rights: ThreadRights; readonly reactions: Parameters<typeof reactionsHtml>[1]['counts'] },
): Html {
  const { issue } = view.pull;
  return commentBox(
    {
      author: issue.author,
      originalAuthor: issue.originalAuthor,
      anchor: `issue-${issue.id}`,
      verb: 'opened this',
      createdAt: issue.createdAt,
      updatedAt: issue.createdAt,
      badges: ['Author'],
      content: textOrNothing(text ?? html``, issue.body),
      attachments: issue.attachments,
      reactions: reactionsHtml(view, {
        issue,
        commentId: null,
        counts: reactions,
        mayReact: rights.mayComment,
      }),
    },
    view.addresses,
  );
}

/** Reads the reviews of a page of the timeline, with their comments on lines. */
async function shownReviews(
  view: PullView,
  entries: readonly TimelineEntry[],
  { texts, tools }: { readonly texts: ReadonlyMap<number, Html>; readonly tools: PullTools },
): Promise<ShownReviews> {
  const { viewer, pull } = view;
  const path = pathOf(pull);
  const ids = entries.flatMap(({ kind, details }) => (kind === 'review' ? (details.reviewId ?? []) : []));
  const reviews = await tools.reviewOverviews.byIds(viewer, path, ids);
  const wanted = { selection: { reviewIds: ids }, countMax: WEB_LIMITS.pageLineCommentsMax };
  const comments = view.rights.mayReadCode
    ? await tools.reviewOverviews.listComments(viewer, path, wanted)
    : [];
  const own = comments.map(({ id, body }) => ({ id, body: splitSuggestions(body).text.trim() }));
  return {
    reviews,
    comments,
    bodies: texts,
    texts: await renderedTexts(view, tools.markdown, own),
    back: pullPath(pull),
    mayApply: mayWriteHead(view),
    pendingIds: new Set(),
  };
}

async function mergeFacts(
  view: PullView,
  standing: MergeBox['standing'],
  { mergeOutlooks, statuses }: PullTools,
): Promise<MergeBox> {
  const { viewer, pull } = view;
  const { issue, state, base } = pull;
  const { owner, name } = base.repository;
  const paging = { page: 1, limit: WEB_LIMITS.statusesShownMax };
  const combined = view.rights.mayReadCode
    ? await statuses
        .combine(viewer, { owner: owner.name, name }, { name: state.head.sha, paging })
        .catch(undefinedIf('not_found', 'forbidden'))
    : undefined;
  return {
    outlook: issue.isClosed ? undefined : await mergeOutlooks.read(viewer, pull),
    afterwards: issue.isClosed ? await mergeOutlooks.branchAfterwards(viewer, pull) : 'none',
    statuses: combined,
    standing,
  };
}

async function reviewersPart(
  view: PullView,
  standing: MergeBox['standing'],
  { repositories }: PullTools,
): Promise<Html> {
  const { viewer, rights, pull } = view;
  const first = { page: 1, limit: WEB_LIMITS.trackerChoicesMax };
  const people = rights.mayRequest
    ? (
        await repositories.people
          .listReviewers(viewer, pathOf(pull).repository, first)
          .catch(undefinedIf('forbidden'))
      )?.items
    : undefined;
  return reviewersBox(view, standing, { people: people ?? [] });
}

function draftForm(view: PullView): Html {
  const { pull, rights } = view;
  if (!rights.mayEdit || pull.issue.isClosed || rights.isDraft) return html``;
  return postForm(view, {
    action: `${pullPath(pull)}/draft`,
    content: html`<input type="hidden" name="draft" value="draft"><button class="small">Convert to a draft</button>`,
  });
}
