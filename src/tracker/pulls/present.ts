import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { pullHeadRef } from '../../git/format/ref-names.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { presentRepository } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentUser } from '../../people/accounts/present.ts';
import { presentTeam } from '../../people/teams/present.ts';
import { presentIssue } from '../issues/present.ts';
import { isDraft } from '../issues/rules.ts';
import type { Pull } from './model.ts';
import { type PRBranchInfoSchema, PullSchema } from './schema.ts';

const FLOWS = { branch: 0, agit: 1 } as const;

export function presentPull(pull: Pull, viewer: Viewer, addresses: Addresses): Static<typeof PullSchema> {
  const { issue, state, mergedBy, requested } = pull;
  const record = presentIssue(issue, viewer, addresses);
  const { merge } = state;
  const draft = isDraft(issue.title);
  return {
    id: record.id,
    url: record.html_url,
    html_url: record.html_url,
    diff_url: `${record.html_url}.diff`,
    patch_url: `${record.html_url}.patch`,
    number: record.number,
    user: record.user,
    title: record.title,
    body: record.body,
    labels: record.labels,
    milestone: record.milestone,
    assignee: record.assignee,
    assignees: record.assignees,
    requested_reviewers: requested.users.map((user) => presentUser(user, viewer, addresses)),
    requested_reviewers_teams: requested.teams.map((team) => presentTeam(team, null, addresses)),
    state: record.state,
    draft,
    is_locked: record.is_locked,
    comments: record.comments,
    review_comments: state.reviewComments,
    additions: state.additions,
    deletions: state.deletions,
    changed_files: state.changedFiles,
    mergeable: !draft && isMergeable(pull),
    merged: merge !== null,
    merged_at: merge === null ? null : wireTime(merge.at),
    merged_by: mergedBy === null ? null : presentUser(mergedBy, viewer, addresses),
    merge_commit_sha: merge?.sha ?? null,
    merge_base: state.mergeBase ?? '',
    allow_maintainer_edit: state.allowsMaintainerEdit,
    base: presentBase(pull, viewer, addresses),
    head: presentHead(pull, viewer, addresses),
    due_date: record.due_date,
    created_at: record.created_at,
    updated_at: record.updated_at,
    closed_at: record.closed_at,
    pin_order: record.pin_order,
    flow: FLOWS[state.flow],
  };
}

/** Whether the last check merged both branches as they are now, without a conflict. */
function isMergeable({ state, baseTip }: Pull): boolean {
  const { check, head, merge } = state;
  if (merge !== null || check === null) return false;
  const isCurrent = check.base === baseTip && check.head === head.sha;
  return isCurrent && (check.outcome === 'clean' || check.outcome === 'contained');
}

type BranchInfo = Static<typeof PRBranchInfoSchema>;

function presentBase({ state, base, baseTip }: Pull, viewer: Viewer, addresses: Addresses): BranchInfo {
  const { baseBranch, mergeBase } = state;
  const sha = baseTip ?? mergeBase ?? '';
  return { label: baseBranch, ref: baseBranch, sha, ...presentPlace(base, viewer, addresses) };
}

function presentHead({ state, headRepository }: Pull, viewer: Viewer, addresses: Addresses): BranchInfo {
  const { head, number } = state;
  // The names of branches of a repository that the viewer may not see stay hidden, too.
  const isHidden = headRepository === null && head.repositoryId !== null;
  const isBranch = head.hasBranch && head.repositoryId !== null && !isHidden;
  return {
    label: isHidden ? pullHeadRef(number) : head.branch,
    ref: isBranch ? head.branch : pullHeadRef(number),
    sha: head.sha,
    ...presentPlace(headRepository, viewer, addresses),
  };
}

function presentPlace(permitted: PermittedRepository | null, viewer: Viewer, addresses: Addresses) {
  if (permitted === null) return { repo_id: -1, repo: null };
  return { repo_id: permitted.repository.id, repo: presentRepository(permitted, viewer, addresses) };
}

export const PullAnswer = answerOf(PullSchema, presentPull);
