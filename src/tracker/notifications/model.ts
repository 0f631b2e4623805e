import type { PermittedRepository } from '../../hosting/repositories/model.ts';

export const THREAD_STATUSES = ['unread', 'read', 'pinned'] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** What a user was notified about: an issue, with everything that has happened to it since. */
export interface Thread {
  readonly id: number;
  readonly accountId: number;
  readonly status: ThreadStatus;
  /** ms; of the latest event */
  readonly updatedAt: number;
  readonly repository: PermittedRepository;
  readonly subject: Subject;
}

export interface Subject {
  readonly number: number;
  readonly title: string;
  readonly isPull: boolean;
  readonly isClosed: boolean;
  readonly isMerged: boolean;
  /** its last comment, or its last review that has a text */
  readonly latestText: LatestText | null;
}

export interface LatestText {
  /** of the entry in the timeline */
  readonly entryId: number;
  /** null: a comment */
  readonly reviewId: number | null;
}

/** What a list of threads has. */
export interface ThreadFilter {
  /** absent: any */
  readonly statuses?: readonly ThreadStatus[] | undefined;
  /** absent: any */
  readonly subjects?: readonly ('issue' | 'pull')[] | undefined;
  /** ms */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
}
