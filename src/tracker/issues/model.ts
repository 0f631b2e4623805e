import type { Term } from '../../base/text-search/query.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { TrackerKinds } from '../../hosting/repositories/tracker.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';
import type { OwnedLabel } from '../labels/model.ts';
import type { LabelKey } from '../labels/of-issues.ts';
import type { Milestone } from '../milestones/model.ts';
import type { Attachment } from './models/attachments.ts';

/** The author of an imported text on the server from which it was imported. */
export interface OriginalAuthor {
  /** 0 for a text that was not imported, or whose author has an account here */
  readonly id: number;
  /** '' if `id` is 0 */
  readonly name: string;
}

export const NO_ORIGINAL_AUTHOR: OriginalAuthor = { id: 0, name: '' };

/** The columns of an issue, without the fields from other tables. */
export interface IssueState {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly authorId: number | null;
  readonly originalAuthor: OriginalAuthor;
  readonly title: string;
  readonly body: string;
  /** name of a branch or tag; '' for none */
  readonly ref: string;
  readonly milestoneId: number | null;
  readonly isPull: boolean;
  readonly isClosed: boolean;
  /** ms; null for an open issue */
  readonly closedAt: number | null;
  /** only people who may write can comment */
  readonly isLocked: boolean;
  /** ms, the last second of a day; null for none */
  readonly dueAt: number | null;
  /** position among the pinned issues, from 1; 0: not pinned */
  readonly pinOrder: number;
  readonly commentsCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An issue as its record shows it. */
export interface Issue extends IssueState {
  readonly repository: Repository;
  /** null: the account was deleted, or is hidden from the viewer */
  readonly author: ShownAccount | null;
  /** by name */
  readonly labels: readonly OwnedLabel[];
  readonly milestone: Milestone | null;
  /** by name */
  readonly assignees: readonly ShownAccount[];
  /** the oldest first */
  readonly attachments: readonly Attachment[];
  /** null: not a pull request */
  readonly pull: PullState | null;
}

/** What the record of an issue shows of a pull request. */
export interface PullState {
  /** ms; null: not merged */
  readonly mergedAt: number | null;
}

/** An issue, or one of its comments. */
export interface Subject {
  readonly issueId: number;
  /** null: the issue itself */
  readonly entryId: number | null;
}

/** Fields of an issue that only people who may write can set. In requests of other people they have no effect. */
interface ManagedFields {
  /** names */
  readonly assignees: readonly string[];
  /** id; null for none */
  readonly milestone: number | null;
  /** ms, the last second of a day; null for none */
  readonly dueAt: number | null;
}

export interface NewIssue extends ManagedFields {
  readonly title: string;
  readonly body: string;
  readonly ref: string;
  readonly labels: readonly LabelKey[];
  readonly isClosed: boolean;
}

/** A change of an issue. Absent fields stay unchanged. */
export interface IssueEdit extends Partial<ManagedFields> {
  readonly title?: string;
  readonly body?: string;
  readonly ref?: string;
  readonly isClosed?: boolean;
  /** when the change happened, for administrators of the repository; absent: now */
  readonly at?: number;
}

/** `relevance`: the best matches first; without words, the newest */
export type IssueOrder =
  | 'relevance'
  | 'newest'
  | 'oldest'
  | 'recently-updated'
  | 'least-recently-updated'
  | 'most-comments'
  | 'fewest-comments'
  /** closed ones, the last one first, and then open ones */
  | 'recently-closed'
  | 'due-first'
  | 'due-last';

/** `reviewRequested`: a review is requested of the viewer, or of a team of the viewer. `reviewed`: the viewer gave one */
type OwnRole = 'created' | 'assigned' | 'mentioned' | 'reviewRequested' | 'reviewed';

/** Which issues a list has, and in which order. */
export interface IssueFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly type: TrackerKinds;
  /** names, all of which an issue has */
  readonly labels: readonly string[];
  /** titles or ids, one of which an issue has */
  readonly milestones: readonly string[];
  /** names of accounts */
  readonly createdBy?: string | undefined;
  /** the author, instead of a name */
  readonly createdById?: number | undefined;
  readonly assignedTo?: string | undefined;
  readonly mentioning?: string | undefined;
  /** ms, of the last change */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  /** ids of labels, all of which an issue has, and of its milestone */
  readonly labelIds?: readonly number[] | undefined;
  readonly milestoneId?: number | undefined;
  /** only pull requests with these branches */
  readonly pulls?: PullBranches | undefined;
  /** words that an issue has; undefined for all issues; an empty list, from a query without words, matches no issue */
  readonly terms?: readonly Term[] | undefined;
  readonly order: IssueOrder;
}

/** Branches of a pull request, named in short. */
export interface PullBranches {
  readonly base?: string | undefined;
  readonly head?: HeadBranch | undefined;
}

export interface HeadBranch {
  readonly branch: string;
  /** absent: any; null: a deleted one */
  readonly repositoryId?: number | null | undefined;
}

/** The fields of a filter that only a list of one repository has. */
type FieldsOfLists = 'createdBy' | 'assignedTo' | 'mentioning' | 'labelIds' | 'milestoneId' | 'pulls';

/** What to find in all repositories whose issues or pull requests the viewer may read. */
export interface IssueSearchFilter extends Omit<IssueFilter, FieldsOfLists> {
  /** how the viewer takes part in the issue; every role that is true is required */
  readonly isOwn: Readonly<Record<OwnRole, boolean>>;
  /** name of an account */
  readonly owner?: string | undefined;
  /** name of a team of the owner */
  readonly team?: string | undefined;
  readonly firstRepositoryId?: number | undefined;
}
