import type { Oid } from '../format/model.ts';
import type { RefUpdate } from './refs.ts';
import type { RepositoryId, Snapshot } from './snapshot.ts';

/** Disk usage of a repository's objects. */
export interface ObjectsMeasure {
  /** size of all files */
  readonly bytes: number;
  readonly packs: number;
  /** number of loose objects */
  readonly looseObjects: number;
}

/** Objects that a job deleted, and their size in packs. */
export interface DeletedObjects {
  readonly objects: number;
  readonly bytes: number;
}

export interface VerifyReport {
  /** of the repository */
  readonly id: RepositoryId;
  /** one line each; empty if rows, mirror, objects and fsck agree */
  readonly problems: readonly string[];
}

export type MaintenanceJob = 'repack' | 'prune' | 'commit-graph';

/** Work on stored objects that no request waits for. It changes where objects are, never which of them refs reach. */
export interface Upkeep {
  /**
   * Runs one job of a repository. The jobs of one repository take turns.
   *
   * @returns `lost-race` if a ref came to reach an object that was about to be deleted; all objects remain then
   */
  maintain(id: RepositoryId, job: MaintenanceJob): Promise<'done' | 'lost-race'>;
  /** Deletes all objects that no ref reaches, even new ones. `lost-race`: a ref came to reach one, and all remain. */
  purge(id: RepositoryId): Promise<DeletedObjects | 'lost-race'>;
  /** Measures the disk usage of the objects. */
  measure(id: RepositoryId): Promise<ObjectsMeasure>;
  /** Moves fresh objects, which are rows of the database, to where all other objects are. */
  moveFreshToFiles(): Promise<void>;
  /** Deletes unreferenced files older than `graceMs`, of removed repositories and abandoned quarantines. */
  sweep(graceMs: number): Promise<number>;
  /** Checks whether rows, mirror, objects and git's own fsck agree. Changes nothing, so it may run beside a server. */
  verify(id: RepositoryId): Promise<VerifyReport>;
  /** Imports refs that were changed by hand in the bare repository. Only for `doctor --import-refs`. */
  importRefs(id: RepositoryId): Promise<readonly RefUpdate[]>;
  /**
   * Adds the next part of the history of `tips` to the change index, the oldest commits first. The parts are bounded,
   * so that repositories can take turns.
   *
   * @returns `more` if a part is missing; `full` if the limits of the index do not allow to add it
   * @throws ForgeError `busy`; the reason of the signal
   */
  indexChanges(
    of: Snapshot,
    tips: readonly Oid[],
    signal: AbortSignal,
  ): Promise<'complete' | 'more' | 'full'>;
}
