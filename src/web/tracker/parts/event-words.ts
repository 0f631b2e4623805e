import { type Html, html } from '../../../base/core/text/html.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import { anchorOf } from '../../../tracker/issues/discussion/comments/present.ts';
import type { EntryKind } from '../../../tracker/issues/models/entries.ts';
import type { TimelineEntry } from '../../../tracker/issues/models/timeline.ts';
import { repositoryPath } from '../../addresses.ts';
import { shortIdHtml } from '../../parts/commits.ts';
import { type IconName, icon } from '../../parts/icons.ts';
import { counted } from '../../parts/numbers.ts';
import { personHtml } from '../../parts/people.ts';
import { agoHtml } from '../../parts/time.ts';
import { authorHtml } from './comment-box.ts';
import { labelHtml } from './labels.ts';
import { issuePath } from './view.ts';

/** Words for one kind of change, after the name of the person who made it. */
type Words = (entry: TimelineEntry, repository: Repository) => Html | string;

interface Event {
  readonly icon: IconName;
  readonly look?: 'open' | 'closed' | 'merged';
  readonly words: Words;
}

/** The kinds that a thread shows in a sentence: all but texts. */
const EVENTS: Readonly<Record<Exclude<EntryKind, 'comment' | 'review'>, Event>> = {
  close: { icon: 'closed', look: 'closed', words: (entry, at) => html`closed this${byCommit(entry, at)}` },
  reopen: { icon: 'issue', look: 'open', words: (entry, at) => html`reopened this${byCommit(entry, at)}` },
  label: { icon: 'tag', words: (entry, at) => labelWords([entry], at) },
  milestone: { icon: 'milestone', words: milestoneWords },
  assignees: { icon: 'person', words: assigneeWords },
  change_title: {
    icon: 'pencil',
    words: ({ details }) =>
      html`changed the title from <del>${details.from ?? ''}</del> to <strong>${details.to ?? ''}</strong>`,
  },
  change_issue_ref: { icon: 'branch', words: refWords },
  added_deadline: { icon: 'clock', words: ({ body }) => deadlineWords('set the due date', body) },
  modified_deadline: { icon: 'clock', words: ({ body }) => deadlineWords('changed the due date', body) },
  removed_deadline: { icon: 'clock', words: () => 'removed the due date' },
  lock: {
    icon: 'lock',
    words: ({ body }) =>
      body === '' ? 'locked this conversation' : html`locked this conversation as <strong>${body}</strong>`,
  },
  unlock: { icon: 'lock', words: () => 'unlocked this conversation' },
  pin: { icon: 'tag', words: () => 'pinned this' },
  unpin: { icon: 'tag', words: () => 'unpinned this' },
  add_dependency: { icon: 'link', words: (entry) => html`added a dependency: ${otherIssue(entry)}` },
  remove_dependency: { icon: 'link', words: (entry) => html`removed a dependency: ${otherIssue(entry)}` },
  issue_ref: { icon: 'link', words: referenceWords },
  pull_ref: { icon: 'link', words: referenceWords },
  comment_ref: { icon: 'link', words: referenceWords },
  commit_ref: {
    icon: 'commit',
    words: ({ details }, at) => html`referred to this in commit ${commitHtml(details.commit, at)}`,
  },
  start_tracking: { icon: 'clock', words: () => 'started to work on this' },
  stop_tracking: { icon: 'clock', words: ({ body }) => html`stopped working${spent(body)}` },
  cancel_tracking: { icon: 'clock', words: () => 'discarded a running stopwatch' },
  add_time_manual: { icon: 'clock', words: ({ body }) => html`added time${spent(body)}` },
  delete_time_manual: { icon: 'clock', words: ({ body }) => html`deleted time${spent(body)}` },
  pull_push: { icon: 'commit', words: pushWords },
  merge_pull: {
    icon: 'merged',
    look: 'merged',
    words: ({ details }, at) => html`merged this as ${commitHtml(details.sha, at)}`,
  },
  change_target_branch: {
    icon: 'branch',
    words: ({ details }) =>
      html`changed the target branch from <code>${details.from ?? ''}</code> to <code>${details.to ?? ''}</code>`,
  },
  delete_branch: {
    icon: 'branch',
    words: ({ details }) => html`deleted the branch <code>${details.branch ?? ''}</code>`,
  },
  review_request: { icon: 'person', words: reviewRequestWords },
  dismiss_review: {
    icon: 'cross',
    words: ({ body }) => (body === '' ? 'dismissed a review' : html`dismissed a review: ${body}`),
  },
  pull_scheduled_merge: { icon: 'clock', words: () => 'scheduled a merge for when all checks succeed' },
  pull_cancel_scheduled_merge: { icon: 'clock', words: () => 'canceled the scheduled merge' },
};

/**
 * Returns a change of a thread as a sentence.
 *
 * @param entries one entry, or several of labels that one person added and removed together
 */
export function eventHtml(
  entries: readonly [TimelineEntry, ...TimelineEntry[]],
  repository: Repository,
): Html {
  const [first] = entries;
  const { kind } = first;
  // Pages show texts in boxes.
  if (kind === 'comment' || kind === 'review') return html``;
  const event = EVENTS[kind];
  const words = kind === 'label' ? labelWords(entries, repository) : event.words(first, repository);
  return html`<li class="event" id="${anchorOf(first.id)}">${icon(event.icon, event.look ?? '')} <span>${authorHtml(first)} ${words} <span class="nowrap">${agoHtml(first.createdAt)}</span></span></li>
`;
}

function byCommit({ details: { commit } }: TimelineEntry, repository: Repository): Html {
  return commit === undefined ? html`` : html` with commit ${commitHtml(commit, repository)}`;
}

function commitHtml(oid: string | undefined, repository: Repository): Html {
  return oid === undefined || oid === '' ? html`a commit` : shortIdHtml(repository, oid);
}

function labelWords(entries: readonly TimelineEntry[], repository: Repository): Html {
  const named = (isRemoved: boolean) =>
    entries
      .filter(({ details }) => (details.isRemoved === true) === isRemoved)
      .map(({ label }) =>
        label === null
          ? html`<span class="label">deleted label</span> `
          : html`${labelHtml(label, labelledPath(repository, label.name))} `,
      );
  const [added, removed] = [named(false), named(true)];
  const noun = (labels: readonly Html[]) => (labels.length === 1 ? 'label' : 'labels');
  const first = added.length === 0 ? html`` : html`added the ${noun(added)} ${added}`;
  if (removed.length === 0) return first;
  return html`${first}${added.length === 0 ? html`` : html`and `}removed the ${noun(removed)} ${removed}`;
}

/** Returns the path of the list of the open issues with a label. */
export function labelledPath(
  repository: Repository,
  name: string,
  kind: 'issues' | 'pulls' = 'issues',
): string {
  return `${repositoryPath(repository)}/${kind}?labels=${encodeURIComponent(name)}`;
}

function milestoneWords({ details, milestone, oldMilestone }: TimelineEntry): Html {
  const name = (found: TimelineEntry['milestone']) =>
    html`<strong>${found?.title ?? 'a deleted milestone'}</strong>`;
  const { milestoneId = null, oldMilestoneId = null } = details;
  if (milestoneId === null) return html`removed this from the milestone ${name(oldMilestone)}`;
  if (oldMilestoneId === null) return html`added this to the milestone ${name(milestone)}`;
  return html`moved this from the milestone ${name(oldMilestone)} to ${name(milestone)}`;
}

function assigneeWords({ author, assignee, details: { isRemoved = false } }: TimelineEntry): Html {
  if (assignee !== null && assignee.id === author?.id)
    return isRemoved ? html`removed their own assignment` : html`took this`;
  return isRemoved
    ? html`took this from ${personHtml(assignee)}`
    : html`assigned this to ${personHtml(assignee)}`;
}

function refWords({ details: { from = '', to = '' } }: TimelineEntry): Html {
  if (to === '') return html`removed the reference to <code>${from}</code>`;
  return from === ''
    ? html`set the reference to <code>${to}</code>`
    : html`changed the reference from <code>${from}</code> to <code>${to}</code>`;
}

/** @param body the day, or the earlier and the later one */
function deadlineWords(what: string, body: string): Html {
  const days = body.split('|').filter((day) => day !== '');
  return days.length === 0
    ? html`${what}`
    : html`${what} to <strong>${days[0] ?? ''}</strong>${days.length > 1 ? html`, before <del>${days[1] ?? ''}</del>` : html``}`;
}

function otherIssue({ otherIssue: other, issue }: TimelineEntry): Html {
  if (other === null) return html`an issue that was deleted or is hidden`;
  const isElsewhere = other.repository.id !== issue.repository.id;
  const where = isElsewhere ? `${other.repository.owner.name}/${other.repository.name}` : '';
  return html`<a href="${issuePath(other)}">${other.title}</a> <span class="nowrap">${where}#${other.number}</span>`;
}

function referenceWords(entry: TimelineEntry): Html {
  const { otherComment, otherIssue: other, details } = entry;
  const verb =
    details.refAction === 'closes'
      ? 'referred to this, to close it, in'
      : details.refAction === 'reopens'
        ? 'referred to this, to reopen it, in'
        : 'referred to this in';
  const comment =
    otherComment === null || other === null
      ? html``
      : html`<a href="${issuePath(other)}#${anchorOf(otherComment.id)}">a comment</a> on `;
  return html`${verb} ${comment}${otherIssue(entry)}`;
}

function spent(body: string): Html {
  return body === '' ? html`` : html`: <strong>${body}</strong>`;
}

function pushWords({ details }: TimelineEntry, repository: Repository): Html {
  const { isForced = false, before = '', after = '', commits = [] } = details;
  if (isForced)
    return html`force-pushed from ${commitHtml(before, repository)} to ${commitHtml(after, repository)}`;
  return commits.length === 0
    ? html`pushed ${commitHtml(after, repository)}`
    : html`pushed ${counted(commits.length, 'commit')}, up to ${commitHtml(after === '' ? commits.at(-1) : after, repository)}`;
}

function reviewRequestWords({ assignee, assigneeTeam, details }: TimelineEntry): Html {
  const whom =
    details.teamId === undefined
      ? personHtml(assignee)
      : html`<strong>${assigneeTeam?.name ?? 'a team'}</strong>`;
  return details.isRemoved === true
    ? html`no longer asks ${whom} for a review`
    : html`asked ${whom} for a review`;
}
