import type { Oid } from '../../git/format/model.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';

export const STATES = ['error', 'failure', 'pending', 'warning', 'skipped', 'success'] as const;

/** The result of a check. */
export type StatusState = (typeof STATES)[number];

/** The result of a check that another tool reports about a commit. */
export interface CommitStatus {
  readonly repository: Repository;
  readonly commit: Oid;
  /** from 1 for each commit */
  readonly number: number;
  readonly state: StatusState;
  /** names the check; a later status with the same context replaces an earlier one */
  readonly context: string;
  readonly description: string;
  /** '' for none */
  readonly targetUrl: string;
  /** null: deleted, or hidden from the viewer */
  readonly creator: PublicAccount | null;
  /** ms */
  readonly createdAt: number;
}

export type NewStatus = Pick<CommitStatus, 'state' | 'context' | 'description' | 'targetUrl'>;

export interface StatusFilter {
  /** null: all */
  readonly state: StatusState | null;
  readonly isOldestFirst: boolean;
}

/** The latest status of each context of a commit, together. */
export interface CombinedStatus {
  readonly permitted: PermittedRepository;
  readonly commit: Oid;
  /** null without a status */
  readonly state: StatusState | null;
  /** one page, by context */
  readonly statuses: readonly CommitStatus[];
  /** number of contexts */
  readonly total: number;
}

/**
 * Returns the state of several checks together: failed, still pending, or successful. Warnings and skipped checks do
 * not prevent success, as in newer versions of the reference. Null without checks.
 */
export function combinedState(states: readonly StatusState[]): StatusState | null {
  if (states.length === 0) return null;
  if (states.includes('error') || states.includes('failure')) return 'failure';
  return states.includes('pending') ? 'pending' : 'success';
}
