import type { Static } from 'typebox';
import type { Viewer } from '../../../../api/access/viewer.ts';
import { answerOf } from '../../../../api/operations/answers.ts';
import type { Addresses } from '../../../../http/app.ts';
import { wireTime } from '../../../../http/time.ts';
import { presentAuthor } from '../../../../people/accounts/present.ts';
import { presentAttachment } from '../../attachments/present.ts';
import type { Comment } from '../../models/comments.ts';
import { issueAddresses } from '../../present.ts';
import { CommentSchema } from './schema.ts';

/** Returns the anchor of an entry on the page of its issue. */
export function anchorOf(id: number): string {
  return `issuecomment-${id}`;
}

export function presentComment(
  comment: Comment,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof CommentSchema> {
  const { id, issue } = comment;
  const { htmlUrl } = issueAddresses(issue, addresses);
  return {
    id,
    html_url: `${htmlUrl}#${anchorOf(id)}`,
    // The addresses of the page, as in the reference.
    pull_request_url: issue.isPull ? htmlUrl : '',
    issue_url: issue.isPull ? '' : htmlUrl,
    user: presentAuthor(comment.author, viewer, addresses),
    original_author: comment.originalAuthor.name,
    original_author_id: comment.originalAuthor.id,
    body: comment.body,
    assets: comment.attachments.map((each) => presentAttachment(each, addresses)),
    created_at: wireTime(comment.createdAt),
    updated_at: wireTime(comment.updatedAt),
  };
}

export const CommentAnswer = answerOf(CommentSchema, presentComment);
