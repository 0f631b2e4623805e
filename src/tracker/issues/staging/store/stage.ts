import type { Tx } from '../../../../base/database/database.ts';
import { flag } from '../../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { ImportedComment, ImportedIssue } from '../../models/staging.ts';
import { authorColumns } from '../columns.ts';
import { insertStaged } from '../writes.ts';

/** Adds issues of a repository that is being imported. If two have the same number, the first one remains. */
export async function insertStagedIssues(
  tx: Tx,
  repositoryId: RepositoryId,
  issues: readonly ImportedIssue[],
): Promise<void> {
  const rows = issues.map((issue) => ({
    repository_id: repositoryId,
    number: issue.number,
    is_pull: flag(issue.isPull),
    ...authorColumns(issue.author),
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    milestone_key: issue.milestoneKey,
    is_closed: flag(issue.closedAt !== null),
    closed_at: issue.closedAt,
    is_locked: flag(issue.isLocked),
    due_at: issue.dueAt,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
  }));
  const labels = issues.flatMap(({ number, labelKeys }) =>
    labelKeys.map((label_key) => ({ repository_id: repositoryId, number, label_key })),
  );
  const assignees = issues.flatMap(({ number, assigneeIds }) =>
    assigneeIds.map((account_id) => ({ repository_id: repositoryId, number, account_id })),
  );
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_issues'));
  await insertStaged(tx, labels, (tx) => tx.insertInto('staged_issue_labels'));
  await insertStaged(tx, assignees, (tx) => tx.insertInto('staged_issue_assignees'));
}

/** Adds comments of a repository that is being imported. If two have the same key, the first one remains. */
export async function insertStagedComments(
  tx: Tx,
  repositoryId: RepositoryId,
  comments: readonly ImportedComment[],
): Promise<void> {
  const rows = comments.map((comment) => ({
    repository_id: repositoryId,
    comment_key: comment.key,
    number: comment.number,
    ...authorColumns(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  }));
  await insertStaged(tx, rows, (tx) => tx.insertInto('staged_comments'));
}
