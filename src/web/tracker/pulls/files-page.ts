import { isSignedIn } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Page } from '../../../http/pages/page.ts';
import type { OpenPull } from '../../../tracker/pulls/diffs/model.ts';
import type { ReviewComment } from '../../../tracker/pulls/reviews/model.ts';
import { splitSuggestions } from '../../../tracker/pulls/reviews/suggestions/blocks.ts';
import { encoded, repositoryPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { diffHtml } from '../../parts/diff/diff.ts';
import { lookPath } from '../../parts/diff/look.ts';
import type { DiffLook, DiffPlace } from '../../parts/diff/model.ts';
import { counted } from '../../parts/numbers.ts';
import { renderedTexts } from '../parts/texts.ts';
import { threadScriptHtml } from '../parts/thread-script.ts';
import { hasFormsOf } from '../parts/view.ts';
import { countCommits, pullHead } from './head.ts';
import { openDiffs } from './open-diffs.ts';
import { type AskedFiles, lineSlots } from './reviewing/line-slots.ts';
import { reviewForm } from './reviewing/review-form.ts';
import type { ShownThreads } from './reviewing/threads.ts';
import type { PullTools } from './tools.ts';
import { mayWriteHead, type PullView, pathOf, pullPath } from './view.ts';

/** The page of the files that a pull request changes, with the comments on their lines. */
export async function filesPage(view: PullView, asked: AskedFiles, tools: PullTools): Promise<Page> {
  const { viewer, pull } = view;
  const path = pathOf(pull);
  const opened = await openDiffs(view, '/files', tools);
  if ('instead' in opened) return opened.instead;
  const { look } = asked;
  const ends = { from: opened.from, to: opened.head };
  const differences = await tools.differences.read(ends, { whitespace: look.whitespace, only: look.only });
  const paths = differences.files.flatMap(({ path: now, previousPath }) => [now, previousPath ?? []].flat());
  const pending = isSignedIn(viewer) ? await tools.reviewOverviews.findOwnPending(viewer, path) : undefined;
  const wanted = { selection: { paths }, countMax: WEB_LIMITS.pageLineCommentsMax };
  const comments = await tools.reviewOverviews
    .listComments(viewer, path, wanted)
    .catch(undefinedIf('forbidden'));
  const place = placeOf(view, opened, look);
  const threads = await shownThreads(view, place, {
    comments: comments ?? [],
    pendingId: pending?.id,
    tools,
  });
  const slots = lineSlots(view, place, {
    asked,
    comments: comments ?? [],
    threads,
    hasPending: pending !== undefined,
  });
  const isFull = (comments ?? []).length === WEB_LIMITS.pageLineCommentsMax;
  const body = html`${pullHead(view, '/files', await countCommits(view, tools))}<div class="stack">
${isFull ? html`<p class="notice">This page shows the first ${WEB_LIMITS.pageLineCommentsMax} comments on lines.</p>` : html``}${startPart(view, pending?.commentsCount)}
${await diffHtml(differences, { ...place, slots })}
${reviewForm(view, { pending, back: threads.back })}</div>`;
  const { owner, name } = pull.base.repository;
  return {
    title: `Files of ${pull.issue.title} #${pull.issue.number} · ${owner.name}/${name}`,
    head: threadScriptHtml(),
    hasScript: true,
    body,
    ...hasFormsOf(view),
  };
}

function placeOf({ pull }: PullView, { from, head }: OpenPull, look: DiffLook): DiffPlace {
  const root = repositoryPath(pull.base.repository);
  return {
    path: `${pullPath(pull)}/files`,
    look,
    textPath: `${pullPath(pull)}.diff`,
    fileAt: (side, path, kind) =>
      `${root}/${kind}/commit/${(side === 'old' ? from : head).oid}/${encoded(path)}`,
  };
}

async function shownThreads(
  view: PullView,
  place: DiffPlace,
  {
    comments,
    pendingId,
    tools,
  }: {
    readonly comments: readonly ReviewComment[];
    readonly pendingId: number | undefined;
    readonly tools: PullTools;
  },
): Promise<ShownThreads> {
  const texts = comments.map(({ id, body }) => ({ id, body: splitSuggestions(body).text.trim() }));
  return {
    texts: await renderedTexts(view, tools.markdown, texts),
    back: lookPath(place, {}),
    mayApply: mayWriteHead(view),
    pendingIds: new Set(pendingId === undefined ? [] : [pendingId]),
  };
}

/** What a reviewer has written but not submitted, and the way to the form. */
function startPart({ rights }: PullView, pendingComments: number | undefined): Html {
  if (!rights.mayReview) return html``;
  if (pendingComments === undefined)
    return html`<div class="row files-start"><span class="quiet">Press + beside a line to comment on it.</span><a class="button primary end" href="#review">Review changes</a></div>`;
  return html`<div class="row files-start"><span class="notice">Your review has ${counted(pendingComments, 'comment')} that only you see so far.</span><a class="button primary end" href="#review">Finish your review</a></div>`;
}
