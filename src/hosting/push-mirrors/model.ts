import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Credentials } from '../mirrors/model.ts';

/** A request to push to another server. */
export interface WantedPushMirror {
  /** without credentials */
  readonly url: URL;
  readonly credentials: Credentials | null;
  /** patterns of branch names, as the caller gave them; '': all branches */
  readonly branchFilter: string;
  /** ms; 0: not by itself */
  readonly intervalMs: number;
  /** whether each change of a ref is pushed */
  readonly followsPushes: boolean;
}

/** A repository on another server that has the refs of one here. */
export interface PushMirror {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** by which callers name it */
  readonly name: string;
  /** without credentials */
  readonly address: string;
  readonly branchFilter: string;
  readonly intervalMs: number;
  readonly followsPushes: boolean;
  readonly createdAt: number;
  /** end of the last update, whether it succeeded or not, ms; null: none yet */
  readonly updatedAt: number | null;
  /** why the last update failed; '' after a success */
  readonly error: string;
  /** since the last success */
  readonly failures: number;
}

/** A push mirror with what its record shows besides. */
export interface ShownPushMirror extends PushMirror {
  readonly repositoryName: string;
}
