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
  /** numbers of the pinned issues, in their order */
  readonly pinned: readonly number[];
  /** the highest number on the other server, also of a pull request */
  readonly lastNumber: number;
}
