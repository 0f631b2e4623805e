import { type Html, html } from '../../../../base/core/text/html.ts';
import type { PublicAccount } from '../../../../people/accounts/model.ts';
import type { Review } from '../../../../tracker/pulls/reviews/model.ts';
import { iconWithWords } from '../../../parts/icons.ts';
import { avatarHtml, personHtml } from '../../../parts/people.ts';
import { sideBox } from '../../parts/sidebar.ts';
import { postForm } from '../../parts/view.ts';
import { type PullView, pullPath } from '../view.ts';

/** Returns the reviewers of a pull request, and the forms that request reviews. */
export function reviewersBox(
  view: PullView,
  standing: readonly Review[],
  { people }: { readonly people: readonly PublicAccount[] },
): Html {
  const shown = lastOfEach(standing);
  const items = shown.map((review) => reviewerItem(view, review));
  return sideBox({
    title: 'Reviewers',
    content:
      items.length === 0
        ? html`<p class="quiet small">No reviews yet</p>`
        : html`<ul class="facts reviewers">
${items}</ul>`,
    change: view.rights.mayRequest ? requestForm(view, shown, people) : undefined,
  });
}

/** A request counts before a verdict, and a verdict before a comment. */
const RANKS = { comment: 0, pending: 0, approved: 1, rejected: 1, requested: 2 } as const;

function lastOfEach(standing: readonly Review[]): readonly Review[] {
  const groups = Map.groupBy(standing, ({ id, accountId, teamId, originalAuthor }) =>
    teamId !== null
      ? `team ${teamId}`
      : accountId !== null
        ? `user ${accountId}`
        : `${originalAuthor.name} ${originalAuthor.id === 0 ? id : ''}`,
  );
  return [...groups.values()].flatMap((reviews) =>
    reviews.toSorted((one, other) => RANKS[other.state] - RANKS[one.state]).slice(0, 1),
  );
}

function reviewerItem(view: PullView, review: Review): Html {
  const { author, team, originalAuthor, state } = review;
  const name =
    team !== null
      ? html`<strong>${team.name}</strong>`
      : author === null && originalAuthor.name !== ''
        ? html`${originalAuthor.name}`
        : personHtml(author);
  const picture = author === null ? html`` : html`${avatarHtml(author, 20, view.addresses)} `;
  return html`<li class="row">${picture}${name}<span class="end row">${stateOf(review)}${state === 'requested' ? removal(view, review) : again(view, review)}</span></li>
`;
}

function stateOf({ state, isDismissed, isStale }: Review): Html {
  if (state === 'requested') return iconWithWords('clock', 'review requested', 'warning');
  if (state === 'approved' || state === 'rejected') {
    const words = `${state === 'approved' ? 'approved' : 'requests changes'}${isDismissed ? ', dismissed' : isStale ? ', of earlier commits' : ''}`;
    const look = isDismissed || isStale ? 'quiet' : state === 'approved' ? 'open' : 'closed';
    return html`<span title="${words}">${iconWithWords(state === 'approved' ? 'check' : 'cross', words, look)}</span>`;
  }
  return html`<span title="commented">${iconWithWords('comment', 'commented', 'quiet')}</span>`;
}

function removal(view: PullView, { author, team, accountId }: Review): Html {
  const isOwn = accountId !== null && accountId === view.viewer.accountId;
  if (!view.rights.mayRequest && !isOwn) return html``;
  const field = requestField(author, team);
  if (field === undefined) return html``;
  return postForm(view, {
    action: requestPath(view),
    content: html`<input type="hidden" name="action" value="remove">${field}<button class="link small">Remove</button>`,
  });
}

function again(view: PullView, { author, state }: Review): Html {
  if (!view.rights.mayRequest || author === null || state === 'comment') return html``;
  return postForm(view, {
    action: requestPath(view),
    content: html`${requestField(author, null) ?? html``}<button class="link small">Ask again</button>`,
  });
}

function requestField(author: Review['author'], team: Review['team']): Html | undefined {
  if (team !== null) return html`<input type="hidden" name="team" value="${team.name}">`;
  return author === null ? undefined : html`<input type="hidden" name="reviewer" value="${author.name}">`;
}

function requestPath({ pull }: PullView): string {
  return `${pullPath(pull)}/request_review`;
}

function requestForm(view: PullView, shown: readonly Review[], people: readonly PublicAccount[]): Html {
  const has = new Set(shown.flatMap(({ accountId }) => accountId ?? []));
  const offered = people.filter(({ id }) => id !== view.pull.issue.authorId && !has.has(id));
  const boxes = offered.map(
    ({ name }) =>
      html`<label class="choice"><input type="checkbox" name="reviewer" value="${name}"><span>${name}</span></label>
`,
  );
  const isOfOrganization = view.pull.base.repository.owner.kind === 'organization';
  const team = isOfOrganization
    ? html`<label>Team <input name="team" autocapitalize="none" spellcheck="false" maxlength="255"></label>`
    : html``;
  return postForm(view, {
    action: requestPath(view),
    look: 'stack tight',
    content: html`<div class="choices">
${boxes}</div><label>Other user <input name="reviewer" autocapitalize="none" spellcheck="false" maxlength="255"></label>${team}<button class="primary small">Request</button>`,
  });
}
