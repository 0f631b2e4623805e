import type { Failure } from '../../../base/core/failure.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { Progress } from '../progress.ts';

type MigrationState = 'waiting' | 'running' | 'done' | 'failed' | 'canceled';

/** Why an attempt failed. `fault`: the log of this server has the reason. */
export type MigrationFailure = Failure | { readonly kind: 'fault'; readonly what: string };

/** A requested copy of a repository on another server. Only its requester sees it. */
export interface Migration {
  readonly id: number;
  /** at the time of the request */
  readonly ownerName: string;
  readonly name: string;
  /** without credentials */
  readonly address: string;
  readonly isMirror: boolean;
  readonly state: MigrationState;
  readonly attempts: number;
  /** time of the next attempt, ms; null: the migration runs or has ended */
  readonly dueAt: number | null;
  /** of the last attempt */
  readonly progress: Progress;
  /** of the last attempt; null: the attempt did not fail */
  readonly failure: MigrationFailure | null;
  readonly repositoryId: RepositoryId | null;
  /** ms */
  readonly requestedAt: number;
  readonly begunAt: number | null;
  readonly endedAt: number | null;
}

/** A place of a requester. One migration runs in it at a time. */
export interface RequesterPlace {
  readonly requesterId: number;
  readonly slot: number;
}

/** One attempt. */
export interface Run {
  /** of the migration */
  readonly id: number;
  /** names the attempt */
  readonly run: string;
}

/** The state of a migration, which waiting requests follow. */
export interface MigrationStatus {
  readonly id: number;
  readonly state: MigrationState;
  /** null: no attempt runs, and nothing is left of an unpublished copy */
  readonly run: string | null;
  readonly repositoryId: RepositoryId | null;
  readonly failure: MigrationFailure | null;
}

export function hasEnded({ state, run }: MigrationStatus): boolean {
  return run === null && state !== 'waiting' && state !== 'running';
}
