import { type Html, html } from '../../../../base/core/text/html.ts';
import type { ReviewRow } from '../../../../tracker/pulls/reviews/model.ts';
import { counted } from '../../../parts/numbers.ts';
import { flag, textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/view.ts';
import { FORM_NAME, type PullView, sentBy } from '../view.ts';
import { backField, reviewsPath } from './threads.ts';

const REVIEW_FORM = 'review';

/** Returns the form that submits a review. */
export function reviewForm(
  view: PullView,
  { pending, back }: { readonly pending: ReviewRow | undefined; readonly back: string },
): Html {
  const { rights, pull } = view;
  if (!rights.mayReview) return html``;
  const sent = sentBy(view, REVIEW_FORM);
  const chosen = sent?.get('type') ?? 'comment';
  const choice = (value: string, words: string, hint: string) =>
    html`<label class="choice"><input type="radio" name="type" value="${value}"${flag('checked', value === chosen)}><span>${words}</span><span class="quiet">${hint}</span></label>
`;
  const decisions = rights.mayDecide
    ? html`${choice('approve', 'Approve', 'The changes may be merged.')}${choice('reject', 'Request changes', 'Something must change before the merge.')}`
    : html``;
  const discard =
    pending === undefined
      ? html``
      : html`<button class="danger" formaction="${reviewsPath(view)}/discard" formnovalidate name="review" value="${pending.id}">Discard the review</button>`;
  const comments = pending?.commentsCount ?? 0;
  const words = comments === 0 ? html`` : html`<p>It includes ${counted(comments, 'comment')} on lines.</p>`;
  const why = rights.mayDecide
    ? html``
    : html`<p class="quiet small">${pull.issue.isClosed ? 'A closed pull request takes comments only.' : 'You cannot approve your own pull request.'}</p>`;
  return html`<section class="box" id="review"><div class="title"><h2>${pending === undefined ? 'Review changes' : 'Finish your review'}</h2></div><div class="content">
${postForm(view, {
  action: `${reviewsPath(view)}/submit`,
  look: 'form wide',
  content: html`${backField(back)}<input type="hidden" name="${FORM_NAME}" value="${REVIEW_FORM}"><input type="hidden" name="head" value="${pull.state.head.sha}">
${textField({ name: 'content', label: 'Summary', text: sent?.get('content') ?? pending?.body ?? '' })}
<div class="stack tight" role="radiogroup" aria-label="Verdict">${choice('comment', 'Comment', 'Without a verdict.')}${decisions}</div>${why}${words}
<div class="row"><button class="primary">Submit the review</button>${discard}</div>`,
})}</div></section>
`;
}
