import type { Tx } from '../../../base/database/database.ts';
import { findApprovers } from '../../../code/protection/approvers.ts';
import type { Protections } from '../../../code/protection/service.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { ReadText } from '../../issues/discussion/references/read.ts';
import { recordReviewTexts } from '../../issues/discussion/references/record.ts';
import type { IssueState } from '../../issues/model.ts';
import { addEntries, announce, moveIssue, type Recording } from '../../issues/record.ts';
import { PULL_REVIEWED } from '../events.ts';
import type { PullState } from '../model.ts';
import { getPull } from '../store/pulls.ts';
import type { Verdict } from './model.ts';
import { listCommentsOf } from './store/comments.ts';
import { endRequests } from './store/requests.ts';
import { addToPullCount, clearOfficial, restoreOfficial, setSubmitted } from './store/reviews.ts';

/** A pending review that becomes visible. */
export interface Submission {
  readonly reviewId: number;
  readonly verdict: Verdict;
  readonly body: string;
  readonly commit: string;
  readonly commentsCount: number;
  /** what its texts refer to */
  readonly text: ReadText;
}

interface Context {
  readonly protections: Protections;
  readonly repositories: Repositories;
}

/**
 * Submits a pending review: it appears in the timeline with its comments, and ends the requests that it answers. The caller
 * has checked that the viewer may.
 */
export async function submitReview(
  recording: Recording,
  { issue, pull }: { readonly issue: IssueState; readonly pull: PullState },
  { reviewId, verdict, body, commit, commentsCount, text }: Submission,
  { protections, repositories }: Context,
): Promise<void> {
  const { tx, viewer, at } = recording;
  const { accountId } = viewer;
  const of = { issueId: issue.id, accountId };
  const decides = verdict !== 'comment';
  // Only the last approval or rejection of a reviewer counts.
  if (decides) await clearOfficial(tx, issue.id, [accountId]);
  const isOfficial = decides && (await mayApprove(recording, pull, protections));
  await endRequests(tx, of, { withTeams: decides });
  const entry = { kind: 'review', body, details: { reviewId, state: verdict } } as const;
  const [entryId = 0] = await addEntries(recording, issue, [entry]);
  const isStale = commit !== pull.head.sha;
  await setSubmitted(tx, reviewId, { state: verdict, entryId, body, commit, isOfficial, isStale, at });
  await addToPullCount(tx, issue.id, commentsCount);
  await moveIssue(tx, issue, { ...issue, updatedAt: at });
  const lines = commentsCount === 0 ? [] : await listCommentsOf(tx, reviewId);
  const texts = { issue, review: { entryId, body, lines } };
  await recordReviewTexts(recording, texts, text, repositories);
  const { id: issueId, number } = issue;
  await announce(recording, PULL_REVIEWED, issue, { issueId, number, reviewId, state: verdict });
}

/** Whether the approval of the viewer counts for the base of a pull request. */
export async function mayApprove(
  { tx, viewer }: Pick<Recording, 'tx' | 'viewer'>,
  { repositoryId, baseBranch }: PullState,
  protections: Protections,
): Promise<boolean> {
  const { accountId } = viewer;
  const of = { repositoryId, branch: baseBranch };
  const { accounts } = await findApprovers(protections, tx, of, { accountIds: [accountId] });
  return accounts.has(accountId);
}

/** Lets the last approval or rejection of each account count again, if the account may still approve. */
export async function restoreVerdicts(
  tx: Tx,
  { id: issueId, repositoryId }: Pick<IssueState, 'id' | 'repositoryId'>,
  accountIds: readonly number[],
  protections: Protections,
): Promise<void> {
  if (accountIds.length === 0) return;
  const { baseBranch: branch } = await getPull(tx, issueId);
  const { accounts } = await findApprovers(protections, tx, { repositoryId, branch }, { accountIds });
  await restoreOfficial(tx, issueId, [...accounts]);
}
