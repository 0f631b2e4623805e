import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { Issue } from '../model.ts';

/** Time that a user worked on an issue. */
export interface TimeRow {
  readonly id: number;
  readonly issueId: number;
  readonly repositoryId: number;
  /** null: the account was deleted */
  readonly accountId: number | null;
  /** null: the account was deleted, or is hidden from the viewer */
  readonly account: ShownAccount | null;
  readonly seconds: number;
  readonly createdAt: number;
}

export interface TrackedTime extends TimeRow {
  readonly issue: Issue;
}

/** A user has at most one. */
export interface Stopwatch {
  readonly issueId: number;
  readonly repositoryId: number;
  readonly startedAt: number;
}

export interface TimeFilter {
  /** name of an account */
  readonly user?: string | undefined;
  /** ms */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
}

export interface NewTime {
  readonly seconds: number;
  /** name of an account; absent: the viewer */
  readonly user?: string | undefined;
  /** ms; absent: now */
  readonly at?: number | undefined;
}
