import type { Db } from '../../../../base/database/database.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import type { Comment } from '../../models/comments.ts';
import { listAttachmentsOf } from '../../store/attachments.ts';
import type { CommentEntry } from '../../store/comments.ts';

/**
 * Reads the fields of comments that are in other tables, with one query.
 *
 * @returns a function that places one of these entries in the repository of its issue
 */
export async function readComments(
  db: Db,
  entries: readonly CommentEntry[],
): Promise<(repository: Repository, entry: CommentEntry) => Comment> {
  const ids = entries.filter(({ kind }) => kind === 'comment').map(({ id }) => id);
  const attachments = await listAttachmentsOf(db, 'comments', ids);
  return (repository, { id, number, isPull, author, originalAuthor, body, createdAt, updatedAt }) => ({
    id,
    issue: { repository, number, isPull },
    author,
    originalAuthor,
    body,
    attachments: attachments.get(id) ?? [],
    createdAt,
    updatedAt,
  });
}

/** @see readComments */
export async function completeComment(db: Db, repository: Repository, entry: CommentEntry): Promise<Comment> {
  const commentOf = await readComments(db, [entry]);
  return commentOf(repository, entry);
}
