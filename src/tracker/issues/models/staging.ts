import type { Tx } from '../../../base/database/database.ts';
import type { OriginalAuthor } from '../model.ts';

/** Who wrote an imported text. */
export interface ImportedAuthor {
  /** account here; null: only the original author is known */
  readonly accountId: number | null;
  readonly original: OriginalAuthor;
}

/** An issue of another server. */
export interface ImportedIssue {
  readonly number: number;
  /** the issue of a pull request, which appears only if its pull request is staged, too */
  readonly isPull: boolean;
  readonly author: ImportedAuthor;
  readonly title: string;
  readonly body: string;
  /** name of a branch or tag; '' for none */
  readonly ref: string;
  /** id of the milestone on the other server; null for none */
  readonly milestoneKey: number | null;
  /** ids of labels on the other server */
  readonly labelKeys: readonly number[];
  /** ids of accounts here */
  readonly assigneeIds: readonly number[];
  /** ms; null for an open issue */
  readonly closedAt: number | null;
  readonly isLocked: boolean;
  /** ms; null for none */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A comment of another server. */
export interface ImportedComment {
  /** its id on the other server, by which comments are ordered */
  readonly key: number;
  /** of its issue */
  readonly number: number;
  readonly author: ImportedAuthor;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What publishing staged issues needs to know about labels, milestones, pins and numbers. */
export interface Publication {
  /** ids of labels and of milestones here, by their ids on the other server */
  readonly labels: ReadonlyMap<number, number>;
  readonly milestones: ReadonlyMap<number, number>;
  /** numbers of the pinned issues, and of the pinned pull requests, in their order */
  readonly pinned: { readonly issues: readonly number[]; readonly pulls: readonly number[] };
  /** the highest number on the other server, also of a pull request that is not imported */
  readonly lastNumber: number;
  /** what turns staged rows of pull requests into pull requests; null: there are none */
  readonly pulls: PullPublication | null;
}

/** The entry of a review in the timeline. */
export interface ReviewEntry {
  readonly reviewId: number;
  readonly entryId: number;
}

/** Publishes what pull requests have besides their issues. */
export interface PullPublication {
  /** Runs when the issues have rows, and their timelines are empty. Makes rows of all staged reviews. */
  publish(tx: Tx): Promise<void>;
  /** Receives the entries of reviews. */
  link(tx: Tx, entries: readonly ReviewEntry[]): Promise<void>;
}
