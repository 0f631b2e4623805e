import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { OriginalAuthor } from '../model.ts';
import type { Attachment } from './attachments.ts';

/** A comment of an issue. Its id is the id of its entry in the timeline. */
export interface Comment {
  readonly id: number;
  readonly issue: { readonly repository: Repository; readonly number: number; readonly isPull: boolean };
  /** null: the account was deleted, or is hidden from the viewer */
  readonly author: ShownAccount | null;
  readonly originalAuthor: OriginalAuthor;
  readonly body: string;
  /** the oldest first */
  readonly attachments: readonly Attachment[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The comment that a request names. */
export interface CommentPath {
  readonly repository: RepositoryPath;
  readonly id: number;
  /** number of its issue as the URL has it; absent: of any issue of the repository */
  readonly number?: string;
}

/** What a request writes in a comment. */
export interface CommentText {
  readonly body: string;
  /** when it was written, for administrators of the repository; absent: now */
  readonly at?: number;
}

/** Limits a list of comments by their last change, in ms. */
export interface CommentRange {
  readonly since: number | undefined;
  readonly before: number | undefined;
}
