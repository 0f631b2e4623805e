import type { Tx } from '../../../../base/database/database.ts';
import { flag, fragment } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { ImportedComment, ImportedIssue } from '../../models/staging.ts';
import { authorColumns, partsOf } from '../columns.ts';
import { nextRange } from '../writes.ts';
import { COMMENTS, ISSUES } from './tables.ts';

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
  for (const part of partsOf(rows))
    await tx
      .insertInto('staged_issues')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const part of partsOf(labels))
    await tx
      .insertInto('staged_issue_labels')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const part of partsOf(assignees))
    await tx
      .insertInto('staged_issue_assignees')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
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
  for (const part of partsOf(rows))
    await tx
      .insertInto('staged_comments')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
}

/** Deletes some staged rows of a repository. @returns whether there may be more */
export async function deleteStaged(tx: Tx, repositoryId: RepositoryId): Promise<boolean> {
  const comments = await nextRange(tx, COMMENTS, repositoryId, 0);
  if (comments !== undefined) {
    await query(
      tx,
      fragment`delete from staged_comments where repository_id = ${repositoryId} and comment_key <= ${comments.to}`,
    );
    return true;
  }
  const issues = await nextRange(tx, ISSUES, repositoryId, 0);
  if (issues === undefined) return false;
  const upTo = fragment`repository_id = ${repositoryId} and number <= ${issues.to}`;
  await query(tx, fragment`delete from staged_issue_labels where ${upTo}`);
  await query(tx, fragment`delete from staged_issue_assignees where ${upTo}`);
  await query(tx, fragment`delete from staged_issues where ${upTo}`);
  return true;
}
