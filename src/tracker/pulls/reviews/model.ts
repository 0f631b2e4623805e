import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { Team } from '../../../people/teams/model.ts';
import type { IssuePath } from '../../issues/access.ts';
import type { OriginalAuthor } from '../../issues/model.ts';

/** `pending`: only its author sees it. `requested`: a request for a review, which ends with the review. */
export type ReviewState = 'pending' | 'approved' | 'rejected' | 'comment' | 'requested';
/** What a submitted review says. */
export type Verdict = Exclude<ReviewState, 'pending' | 'requested'>;

/** The columns of a review, or of a request for one. */
export interface ReviewRow {
  readonly id: number;
  readonly issueId: number;
  readonly repositoryId: RepositoryId;
  /** null: a request to a team, or the account was deleted */
  readonly accountId: number | null;
  /** of a request to a team */
  readonly teamId: number | null;
  readonly state: ReviewState;
  /** of its entry in the timeline; null for a pending review, and for a request */
  readonly entryId: number | null;
  readonly body: string;
  /** the commit that was reviewed; '' for a request */
  readonly commit: Oid;
  /** Its author could approve by the protection of the base when it was submitted. A merge looks at the present rule. */
  readonly isOfficial: boolean;
  /** Another commit is the head now. */
  readonly isStale: boolean;
  readonly isDismissed: boolean;
  readonly commentsCount: number;
  /** ms, when it was submitted; of a pending review, when it began */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly originalAuthor: OriginalAuthor;
}

/** The pull request that a review belongs to. */
export interface ReviewedPull {
  readonly repository: Repository;
  readonly number: number;
}

/** A review as its record shows it. */
export interface Review extends ReviewRow {
  readonly pull: ReviewedPull;
  /** null: a request to a team, or the account was deleted or is hidden from the viewer */
  readonly author: ShownAccount | null;
  /** null: no request to a team, or the repository has another owner now */
  readonly team: Team | null;
}

/** The lines of one side of the differences that a comment is about. */
export interface CommentedLines {
  readonly path: string;
  readonly side: 'old' | 'new';
  /** the first one, from 1 */
  readonly line: number;
  /** number of lines after it */
  readonly extraLines: number;
}

/** The columns of a comment on lines. */
export interface ReviewCommentRow extends CommentedLines {
  readonly id: number;
  readonly reviewId: number;
  readonly issueId: number;
  readonly accountId: number | null;
  readonly resolverId: number | null;
  /** the first line in `commit`; 0: a later push removed the lines */
  readonly currentLine: number;
  /** the head for which the comment was written */
  readonly original: Oid;
  /** the head to which the path and `currentLine` belong */
  readonly commit: Oid;
  /** the part of the differences that ends with the lines, as git prints it */
  readonly hunk: string;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A comment on lines as its record shows it. */
export interface ReviewComment extends ReviewCommentRow {
  readonly pull: ReviewedPull;
  /** null: the account was deleted, or is hidden from the viewer */
  readonly author: ShownAccount | null;
  /** null: not resolved, or the account is hidden from the viewer */
  readonly resolver: ShownAccount | null;
}

/** Names a review: its pull request, and its id. */
export interface ReviewPath {
  readonly pull: IssuePath;
  readonly id: number;
}

/** Names a comment of a review. */
export interface ReviewCommentPath extends ReviewPath {
  readonly commentId: number;
}

export interface NewReviewComment extends CommentedLines {
  readonly body: string;
}

export interface NewReview {
  /** `pending`: it is not submitted yet */
  readonly state: Verdict | 'pending';
  readonly body: string;
  /** undefined: the head */
  readonly commit: Oid | undefined;
  readonly comments: readonly NewReviewComment[];
}

/** Names of users and of teams of the organization that owns the repository, in any case. */
export interface NamedReviewers {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

/** A user or a team of whom a review is requested. */
export type Reviewer =
  | { readonly accountId: number; readonly teamId: null }
  | { readonly accountId: null; readonly teamId: number };

/** All of whom reviews are requested. */
export interface RequestedReviewers {
  /** in the order of the requests, without those who are hidden from the viewer */
  readonly users: readonly ShownAccount[];
  readonly teams: readonly Team[];
}

export interface Dismissal {
  readonly message: string;
  /** also dismisses earlier reviews of the same reviewer */
  readonly withEarlier: boolean;
}
