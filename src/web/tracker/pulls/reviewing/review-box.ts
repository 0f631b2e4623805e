import { type Html, html } from '../../../../base/core/text/html.ts';
import { anchorOf } from '../../../../tracker/issues/discussion/comments/present.ts';
import type { TimelineEntry } from '../../../../tracker/issues/models/timeline.ts';
import type { Review, ReviewComment } from '../../../../tracker/pulls/reviews/model.ts';
import { type IconName, icon } from '../../../parts/icons.ts';
import { agoHtml } from '../../../parts/time.ts';
import { authorHtml, commentBox } from '../../parts/comment-box.ts';
import { lineField } from '../../parts/fields.ts';
import { postForm } from '../../parts/view.ts';
import { type PullView, pullPath } from '../view.ts';
import {
  backField,
  commentAnchor,
  hunkHtml,
  isCurrent,
  lineWords,
  reviewsPath,
  type ShownThreads,
  type Thread,
  threadHtml,
  threadsOf,
} from './threads.ts';

const VERDICTS = {
  approved: { icon: 'check', look: 'open', words: 'approved these changes' },
  rejected: { icon: 'cross', look: 'closed', words: 'requested changes' },
  comment: { icon: 'comment', look: '', words: 'reviewed' },
  pending: { icon: 'clock', look: '', words: 'began a review' },
  requested: { icon: 'person', look: '', words: 'was asked for a review' },
} as const satisfies Record<Review['state'], { icon: IconName; look: string; words: string }>;

/** Returns the picture of what a review says. */
export function verdictIcon(state: Review['state']): Html {
  const { icon: name, look } = VERDICTS[state];
  return icon(name, look);
}

/** What a page needs to show reviews in the timeline. */
export interface ShownReviews extends ShownThreads {
  readonly reviews: ReadonlyMap<number, Review>;
  readonly comments: readonly ReviewComment[];
  /** rendered texts of the reviews, by the ids of their entries */
  readonly bodies: ReadonlyMap<number, Html>;
}

/** Returns a review with its comments on lines, as a part of a timeline. */
export function reviewBox(view: PullView, entry: TimelineEntry, shown: ShownReviews): Html | undefined {
  if (entry.kind !== 'review') return undefined;
  const review = shown.reviews.get(entry.details.reviewId ?? 0);
  if (review === undefined) return undefined;
  const { state, isStale, isDismissed } = review;
  const badges = [
    ...(isDismissed ? ['Dismissed'] : []),
    ...(isStale && state !== 'comment' ? ['Of earlier commits'] : []),
  ];
  const threads = threadsOf(shown.comments.filter(({ reviewId }) => reviewId === review.id));
  const text = shown.bodies.get(entry.id);
  if (text === undefined && threads.length === 0)
    return shortReview(view, entry, { review, badges, back: shown.back });
  return commentBox(
    {
      ...entry,
      anchor: anchorOf(entry.id),
      verb: VERDICTS[state].words,
      badges,
      attachments: entry.attachments,
      content: html`${text ?? html``}${threads.map((thread) => threadBox(view, thread, shown))}`,
      actions: html`${verdictIcon(state)}${dismissal(view, review, shown.back)}`,
    },
    view.addresses,
  );
}

/** A review without a text. */
function shortReview(
  view: PullView,
  entry: TimelineEntry,
  {
    review,
    badges,
    back,
  }: { readonly review: Review; readonly badges: readonly string[]; readonly back: string },
): Html {
  const { state } = review;
  const words = badges.map((badge) => html` <span class="badge">${badge}</span>`);
  return html`<div class="event" id="${anchorOf(entry.id)}">${verdictIcon(state)} <span>${authorHtml(entry)} ${VERDICTS[state].words} <span class="nowrap">${agoHtml(entry.createdAt)}</span>${words}</span>${dismissal(view, review, back)}</div>`;
}

function threadBox(view: PullView, thread: Thread, shown: ShownReviews): Html {
  const [first] = thread;
  const { path } = first;
  const isThere = isCurrent(thread, view.pull.state.head.sha);
  const place = isThere ? `#${commentAnchor(first.id)}` : '';
  const outdated = isThere ? html`` : html`<span class="badge">Outdated</span>`;
  return html`<div class="box review-thread"><div class="title"><a href="${pullPath(view.pull)}/files${place}"><code>${path}</code></a> <span class="quiet small">${lineWords(first)}</span>${outdated}</div>
${hunkHtml(first)}${threadHtml(view, thread, shown)}</div>
`;
}

function dismissal(view: PullView, { id, state, isDismissed }: Review, back: string): Html {
  if (!view.rights.mayDismiss || (state !== 'approved' && state !== 'rejected')) return html``;
  const fields = html`${backField(back)}<input type="hidden" name="review" value="${id}">`;
  const action = `${reviewsPath(view)}/dismiss`;
  const form = isDismissed
    ? postForm(view, {
        action,
        content: html`${fields}<button name="action" value="undismiss">Let it count again</button>`,
      })
    : postForm(view, {
        action,
        look: 'stack tight padded',
        content: html`${fields}${lineField({ name: 'message', label: 'Reason', value: '', charsMax: 255 })}<button>Dismiss this review</button>`,
      });
  return html`<details class="menu"><summary aria-label="Dismiss this review" title="Dismiss this review">${icon('cross')}</summary><div>${form}</div></details>`;
}
