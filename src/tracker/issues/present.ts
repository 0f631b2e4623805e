import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentAuthor, presentUser } from '../../people/accounts/present.ts';
import { presentLabel } from '../labels/present.ts';
import { presentMilestone } from '../milestones/present.ts';
import { presentAttachment } from './attachments/present.ts';
import type { Issue } from './model.ts';
import { isDraft } from './rules.ts';
import { IssueSchema, type PullRequestMetaSchema } from './schema.ts';

/** Returns the addresses of an issue in records. */
export function issueAddresses(
  { repository, number, isPull }: Pick<Issue, 'repository' | 'number' | 'isPull'>,
  addresses: Addresses,
) {
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  const page = isPull ? 'pulls' : 'issues';
  return { url: `${url}/issues/${number}`, htmlUrl: `${htmlUrl}/${page}/${number}` };
}

export function presentIssue(issue: Issue, viewer: Viewer, addresses: Addresses): Static<typeof IssueSchema> {
  const { repository, closedAt, dueAt, milestone } = issue;
  const { url, htmlUrl } = issueAddresses(issue, addresses);
  const assignees = issue.assignees.map((account) => presentUser(account, viewer, addresses));
  return {
    id: issue.id,
    url,
    html_url: htmlUrl,
    number: issue.number,
    user: presentAuthor(issue.author, viewer, addresses),
    original_author: issue.originalAuthor.name,
    original_author_id: issue.originalAuthor.id,
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    assets: issue.attachments.map((each) => presentAttachment(each, addresses)),
    labels: issue.labels.map((label) => presentLabel(label, addresses)),
    milestone: milestone === null ? null : presentMilestone(milestone),
    assignee: assignees[0] ?? null,
    assignees: assignees.length === 0 ? null : assignees,
    state: issue.isClosed ? 'closed' : 'open',
    is_locked: issue.isLocked,
    comments: issue.commentsCount,
    created_at: wireTime(issue.createdAt),
    updated_at: wireTime(issue.updatedAt),
    closed_at: closedAt === null ? null : wireTime(closedAt),
    due_date: dueAt === null ? null : wireTime(dueAt),
    pull_request: presentPull(issue, htmlUrl),
    repository: {
      id: repository.id,
      name: repository.name,
      owner: repository.owner.name,
      full_name: `${repository.owner.name}/${repository.name}`,
    },
    pin_order: issue.pinOrder,
  };
}

function presentPull({ pull, title }: Issue, htmlUrl: string): Static<typeof PullRequestMetaSchema> | null {
  if (pull === null) return null;
  const { mergedAt } = pull;
  return {
    merged: mergedAt !== null,
    merged_at: mergedAt === null ? null : wireTime(mergedAt),
    draft: isDraft(title),
    html_url: htmlUrl,
  };
}

export const IssueAnswer = answerOf(IssueSchema, presentIssue);
