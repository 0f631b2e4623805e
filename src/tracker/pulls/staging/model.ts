import type { Oid } from '../../../git/format/model.ts';
import type { ImportedAuthor } from '../../issues/models/staging.ts';
import type { PullFlow } from '../model.ts';

/** A pull request of another server, without what its issue has. */
export interface ImportedPull {
  readonly number: number;
  readonly flow: PullFlow;
  /** short name */
  readonly base: string;
  readonly head: {
    /** The head is in the repository of the base. */
    readonly isOwn: boolean;
    /** short name, or what the other server shows in its place */
    readonly branch: string;
    readonly sha: Oid;
  };
  readonly allowsMaintainerEdit: boolean;
  readonly mergeBase: Oid | null;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  /** Counts only if the issue is closed. */
  readonly merge: {
    /** ms */
    readonly at: number;
    /** account here; null: not known */
    readonly accountId: number | null;
    readonly sha: Oid;
  } | null;
}

/** A request for a review, to an account here. Counts only while the pull request is open. */
export interface ImportedReviewRequest {
  /** of the pull request */
  readonly number: number;
  readonly accountId: number;
  readonly isOfficial: boolean;
  readonly createdAt: number;
}

/** A submitted review of another server. */
export interface ImportedReview {
  /** its id on the other server, by which reviews are ordered */
  readonly key: number;
  /** of the pull request */
  readonly number: number;
  readonly author: ImportedAuthor;
  readonly state: 'approved' | 'rejected' | 'comment';
  readonly body: string;
  /** '' if it is not known */
  readonly commit: Oid;
  readonly isOfficial: boolean;
  readonly isStale: boolean;
  readonly isDismissed: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A comment on lines of another server. */
export interface ImportedReviewComment {
  /** its id on the other server, by which comments are ordered */
  readonly key: number;
  /** of its review, there */
  readonly reviewKey: number;
  /** account here; null: only the author of the review is known */
  readonly accountId: number | null;
  /** account here; null: not resolved, or not known */
  readonly resolverId: number | null;
  readonly path: string;
  readonly side: 'old' | 'new';
  /** in `original`, from 1 */
  readonly line: number;
  /** in `commit`; 0: the line is gone */
  readonly currentLine: number;
  readonly extraLines: number;
  readonly original: Oid;
  readonly commit: Oid;
  readonly hunk: string;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
