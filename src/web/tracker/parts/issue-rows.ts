import { type Html, html } from '../../../base/core/text/html.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { repositoryPath } from '../../addresses.ts';
import { icon } from '../../parts/icons.ts';
import { counted } from '../../parts/numbers.ts';
import { avatarHtml, personHtml } from '../../parts/people.ts';
import { agoHtml, dayHtml } from '../../parts/time.ts';
import { labelledPath } from './event-words.ts';
import { labelHtml } from './labels.ts';
import { stateIcon } from './state.ts';
import { issuePath } from './view.ts';

interface Rows {
  readonly addresses: Addresses;
  /** whether the issues are of several repositories, so that each names its own */
  readonly isOfSeveral?: boolean;
  /** more facts of an issue, such as the branch of a pull request */
  readonly moreFacts?: (issue: Issue) => Html;
}

/** Returns the rows of a list of issues or pull requests. */
export function issueRows(issues: readonly Issue[], rows: Rows): Html {
  return html`<ul class="rows issues">
${issues.map((issue) => rowOf(issue, rows))}</ul>
`;
}

function rowOf(issue: Issue, { addresses, isOfSeveral = false, moreFacts }: Rows): Html {
  const { repository, title, labels, isPull, commentsCount, assignees } = issue;
  const path = issuePath(issue);
  const place = isOfSeveral
    ? html`<a class="quiet" href="${repositoryPath(repository)}">${repository.owner.name}/${repository.name}</a> `
    : html``;
  const named = labels.map(
    (label) => html` ${labelHtml(label, labelledPath(repository, label.name, isPull ? 'pulls' : 'issues'))}`,
  );
  const people = assignees.map(
    (account) =>
      html`<span title="assigned to ${account.name}">${avatarHtml(account, 20, addresses)}<span class="sr-only">assigned to ${account.name}</span></span>`,
  );
  const comments =
    commentsCount === 0
      ? html``
      : html`<a class="quiet nowrap" href="${path}" title="${counted(commentsCount, 'comment')}">${icon('comment')} <span class="number">${commentsCount}</span><span class="sr-only"> comments</span></a>`;
  return html`<li>${stateIcon(issue)}<div class="grow">${place}<a class="subject" href="${path}">${title}</a>${named}
<div class="quiet small facts-line">${factsOf(issue)}${moreFacts?.(issue) ?? html``}</div></div><span class="end row">${people}${comments}</span></li>
`;
}

function factsOf(issue: Issue): Html {
  const { number, author, originalAuthor, createdAt, closedAt, milestone, dueAt, repository, isLocked } =
    issue;
  const by =
    author === null && originalAuthor.name !== '' ? html`${originalAuthor.name}` : personHtml(author);
  const state =
    closedAt === null
      ? html`opened ${agoHtml(createdAt)} by ${by}`
      : html`by ${by}, ${issue.pull?.mergedAt != null ? 'merged' : 'closed'} ${agoHtml(closedAt)}`;
  const goal =
    milestone === null
      ? html``
      : html` <a class="quiet" href="${repositoryPath(repository)}/milestone/${milestone.id}">${icon('milestone')} ${milestone.title}</a>`;
  const due = dueAt === null ? html`` : html` <span>${icon('clock')} due ${dayHtml(dueAt)}</span>`;
  const locked = isLocked ? html` <span>${icon('lock')} locked</span>` : html``;
  return html`<span>#${number} ${state}</span>${goal}${due}${locked}`;
}
