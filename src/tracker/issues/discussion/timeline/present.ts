import type { Static } from 'typebox';
import type { Viewer } from '../../../../api/access/viewer.ts';
import { answerOf } from '../../../../api/operations/answers.ts';
import type { Addresses } from '../../../../http/app.ts';
import { presentUser } from '../../../../people/accounts/present.ts';
import { presentTeam } from '../../../../people/teams/present.ts';
import { presentLabel } from '../../../labels/present.ts';
import { presentMilestone } from '../../../milestones/present.ts';
import type { EntryDetails, EntryKind } from '../../models/entries.ts';
import type { TimelineEntry } from '../../models/timeline.ts';
import { presentIssue } from '../../present.ts';
import { presentComment } from '../comments/present.ts';
import { TimelineSchema } from './schema.ts';

function presentEntry(
  entry: TimelineEntry,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof TimelineSchema> {
  const { details, label, milestone, oldMilestone, assignee, assigneeTeam } = entry;
  const comment = presentComment(entry, viewer, addresses);
  return {
    id: comment.id,
    type: entry.kind,
    html_url: comment.html_url,
    pull_request_url: comment.pull_request_url,
    issue_url: comment.issue_url,
    user: comment.user,
    body: bodyOf(entry),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    old_project_id: 0,
    project_id: 0,
    old_milestone: oldMilestone === null ? null : presentMilestone(oldMilestone),
    milestone: milestone === null ? null : presentMilestone(milestone),
    tracked_time: null,
    ...presentNames(entry),
    ...presentOthers(entry, viewer, addresses),
    ref_action: details.refAction ?? 'none',
    ref_commit_sha: details.commit ?? details.sha ?? '',
    review_id: details.reviewId ?? 0,
    label: label === null ? null : presentLabel(label, addresses),
    assignee: assignee === null ? null : presentUser(assignee, viewer, addresses),
    assignee_team: assigneeTeam === null ? null : presentTeam(assigneeTeam, null, addresses),
    removed_assignee: entry.kind !== 'label' && details.isRemoved === true,
    resolve_doer: null,
  };
}

/** Returns the text of an entry. Those of labels and of pushes are what clients expect. */
function bodyOf({ kind, body, details }: TimelineEntry): string {
  if (kind === 'label') return details.isRemoved === true ? '' : '1';
  if (kind === 'pull_push') return pushText(details);
  return body;
}

/** Names the new commits of a push to a pull request; after a forced push, the old head and the new one. */
function pushText({ before = '', after = '', isForced = false, commits = [] }: EntryDetails): string {
  return JSON.stringify({ is_force_push: isForced, commit_ids: isForced ? [before, after] : commits });
}

const REF_KINDS: ReadonlySet<EntryKind> = new Set(['change_issue_ref', 'change_target_branch']);

function presentNames({ kind, details: { from = '', to = '', branch = '' } }: TimelineEntry) {
  const [isTitle, isRef] = [kind === 'change_title', REF_KINDS.has(kind)];
  return {
    old_title: isTitle ? from : '',
    new_title: isTitle ? to : '',
    old_ref: isRef ? from : branch,
    new_ref: isRef ? to : '',
  };
}

function presentOthers(
  { kind, otherIssue, otherComment }: TimelineEntry,
  viewer: Viewer,
  addresses: Addresses,
) {
  const issue = otherIssue === null ? null : presentIssue(otherIssue, viewer, addresses);
  const isDependency = kind === 'add_dependency' || kind === 'remove_dependency';
  return {
    ref_issue: isDependency ? null : issue,
    dependent_issue: isDependency ? issue : null,
    ref_comment: otherComment === null ? null : presentComment(otherComment, viewer, addresses),
  };
}

export const TimelineAnswer = answerOf(TimelineSchema, presentEntry);
