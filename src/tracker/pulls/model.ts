import type { Oid } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';
import type { Issue, IssueEdit, IssueFilter, NewIssue } from '../issues/model.ts';
import type { RequestedReviewers } from './reviews/model.ts';

/** How a pull request was made: from a branch, or by a push to `refs/for/`. */
export type PullFlow = 'branch' | 'agit';

/**
 * What a merge of the head into the base leads to. `contained`: the base has all commits of the head. `unrelated`: the two
 * have no commit in common. `failed`: the merge takes too much time or memory.
 */
export type CheckOutcome = 'clean' | 'conflict' | 'contained' | 'unrelated' | 'failed';

/** The result of a merge that was tried. */
export interface Check {
  readonly base: Oid;
  readonly head: Oid;
  readonly outcome: CheckOutcome;
  /** paths of files */
  readonly conflicts: readonly string[];
}

/** The columns of a pull request that its issue lacks. */
export interface PullState {
  readonly issueId: number;
  /** of the base */
  readonly repositoryId: RepositoryId;
  readonly number: number;
  readonly isOpen: boolean;
  readonly flow: PullFlow;
  readonly baseBranch: string;
  readonly head: PullHead;
  readonly allowsMaintainerEdit: boolean;
  /** who allows it: without effect unless this account may write the head; null: deleted, or not known */
  readonly editsAllowedBy: number | null;
  /** null: not known yet, or the two have no commit in common */
  readonly mergeBase: Oid | null;
  /** null: no merge was tried yet. Compare its commits: either branch may have moved since */
  readonly check: Check | null;
  /** of the differences between the merge base and the head, as of the last check */
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  /** comments on lines */
  readonly reviewComments: number;
  readonly merge: Merge | null;
}

export interface PullHead {
  /** null: the repository was deleted */
  readonly repositoryId: RepositoryId | null;
  /** short name; for the flow `agit`, the name of the user and the topic */
  readonly branch: string;
  readonly hasBranch: boolean;
  /** what `refs/pull/N/head` points to */
  readonly sha: Oid;
}

/** How a pull request was merged. */
export interface Merge {
  /** ms */
  readonly at: number;
  /** null: the account was deleted */
  readonly accountId: number | null;
  /** the commit of the base branch that has the changes */
  readonly sha: Oid;
}

/** A pull request as its record shows it. */
export interface Pull {
  readonly issue: Issue;
  readonly state: PullState;
  readonly base: PermittedRepository;
  /** tip of the base branch; null: the branch does not exist */
  readonly baseTip: Oid | null;
  /** null: the repository was deleted, or is hidden from the viewer */
  readonly headRepository: PermittedRepository | null;
  readonly mergedBy: ShownAccount | null;
  readonly requested: RequestedReviewers;
}

/** What a new pull request has in common with an issue. */
export type PullFields = Omit<NewIssue, 'ref' | 'isClosed'>;

export interface NewPull extends PullFields {
  /** short name */
  readonly base: string;
  /** `branch`, `owner:branch` or `owner/repository:branch` */
  readonly head: string;
}

/** A change of a pull request. Absent fields stay unchanged. */
export interface PullEdit extends IssueEdit {
  /** short name */
  readonly base?: string;
  /** ids */
  readonly labels?: readonly number[];
  readonly allowsMaintainerEdit?: boolean;
}

/** The branches between which a pull request is. */
export interface PullBranches {
  readonly base: string;
  readonly head: string;
}

/** What a list of pull requests has, besides what a list of issues can have. */
export interface PullFilter extends IssueFilter {
  /** ids, all of which a pull request has */
  readonly labelIds: readonly number[];
  readonly milestoneId: number | undefined;
  /** names of branches; the head as in `NewPull` */
  readonly base: string | undefined;
  readonly head: string | undefined;
}

/** How the commits of a head come into a branch. */
export type BuildStyle = 'merge' | 'rebase' | 'rebase-merge' | 'squash' | 'fast-forward-only';

/** What a request for a merge asks for. */
export interface MergeWish {
  readonly style: BuildStyle | 'manually-merged';
  /** first line of the message; '' for the default */
  readonly title: string;
  /** the rest of the message; '' for the default */
  readonly message: string;
  /** the head that the caller has seen; undefined: any */
  readonly head: Oid | undefined;
  /** the branch of the base that the caller has seen; absent: any */
  readonly baseBranch?: string;
  /** for `manually-merged`: the commit of the base that has the changes */
  readonly mergedCommit: Oid | undefined;
  /** undefined: as the repository is set up */
  readonly deletesBranch: boolean | undefined;
  /** An administrator skips the protection of the base. */
  readonly isForced: boolean;
  /** Waits for the protection of the base instead of failing. */
  readonly waits: boolean;
  /** The merge has waited. */
  readonly isScheduled?: true;
}
