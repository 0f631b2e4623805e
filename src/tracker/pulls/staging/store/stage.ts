import type { Tx } from '../../../../base/database/database.ts';
import { flag } from '../../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { authorColumns } from '../../../issues/staging/columns.ts';
import { insertStaged } from '../../../issues/staging/writes.ts';
import type { ImportedPull, ImportedReview, ImportedReviewComment, ImportedReviewRequest } from '../model.ts';

/** Adds pull requests of a repository that is being imported. If two have the same number, the first one remains. */
export async function insertStagedPulls(
  tx: Tx,
  repositoryId: RepositoryId,
  pulls: readonly ImportedPull[],
): Promise<void> {
  const rows = pulls.map(({ head, merge, ...pull }) => ({
    repository_id: repositoryId,
    number: pull.number,
    flow: pull.flow,
    base_branch: pull.base,
    is_own_head: flag(head.isOwn),
    head_branch: head.branch,
    head_sha: head.sha,
    allows_maintainer_edit: flag(pull.allowsMaintainerEdit),
    merge_base: pull.mergeBase,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
    merged_at: merge?.at ?? null,
    merged_by: merge?.accountId ?? null,
    merged_sha: merge?.sha ?? null,
  }));
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_pulls'));
}

/** Adds requests for reviews. If two are to the same account, the first one remains. */
export async function insertStagedRequests(
  tx: Tx,
  repositoryId: RepositoryId,
  requests: readonly ImportedReviewRequest[],
): Promise<void> {
  const rows = requests.map((request) => ({
    repository_id: repositoryId,
    number: request.number,
    account_id: request.accountId,
    is_official: flag(request.isOfficial),
    created_at: request.createdAt,
  }));
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_review_requests'));
}

/** Adds reviews. If two have the same key, the first one remains. */
export async function insertStagedReviews(
  tx: Tx,
  repositoryId: RepositoryId,
  reviews: readonly ImportedReview[],
): Promise<void> {
  const rows = reviews.map((review) => ({
    repository_id: repositoryId,
    review_key: review.key,
    number: review.number,
    ...authorColumns(review.author),
    state: review.state,
    body: review.body,
    commit_sha: review.commit,
    is_official: flag(review.isOfficial),
    is_stale: flag(review.isStale),
    is_dismissed: flag(review.isDismissed),
    created_at: review.createdAt,
    updated_at: review.updatedAt,
  }));
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_reviews'));
}

/** Adds comments on lines. If two have the same key, the first one remains. */
export async function insertStagedReviewComments(
  tx: Tx,
  repositoryId: RepositoryId,
  comments: readonly ImportedReviewComment[],
): Promise<void> {
  const rows = comments.map((comment) => ({
    repository_id: repositoryId,
    comment_key: comment.key,
    review_key: comment.reviewKey,
    author_id: comment.accountId,
    resolver_id: comment.resolverId,
    path: comment.path,
    is_old_side: flag(comment.side === 'old'),
    line: comment.line,
    current_line: comment.currentLine,
    extra_lines: comment.extraLines,
    original_sha: comment.original,
    commit_sha: comment.commit,
    hunk: comment.hunk,
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  }));
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_review_comments'));
}
