import type { Tx } from '../../base/database/database.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import type { RepositoryId, Snapshot } from './snapshot.ts';

/** A requested change of one ref. `null` means absent. The change applies only if the ref is still at `old`. */
export interface RefUpdate {
  readonly ref: string;
  readonly old: Oid | null;
  readonly new: Oid | null;
}

/** Why a ref did not move. */
export type RefRejection =
  /** the ref is no longer at `old` */
  | 'stale'
  /** an existing ref name is a folder of this name, or this name is a folder of it */
  | 'name-conflict'
  /** another update of the same atomic set was rejected */
  | 'atomic';

export type RefResult = { readonly ref: string } & (
  | { readonly outcome: 'moved' }
  | { readonly outcome: 'rejected'; readonly why: RefRejection }
);

/**
 * The rows of repositories: which exist, and the refs and HEAD of each. The rows decide. No method writes an object, and
 * refs move only together with their objects, through `Writes.commit`.
 */
export interface RefRows {
  /** Inserts the rows of an empty repository. */
  create(id: RepositoryId, options: { head: string; objectFormat: ObjectFormat }, tx: Tx): Promise<void>;
  /** @throws ForgeError `not_found` */
  open(id: RepositoryId): Promise<Snapshot>;
  /** Lists all repositories that have rows. */
  list(): Promise<readonly RepositoryId[]>;
  /** Deletes the rows. A sweep deletes the objects later. */
  remove(id: RepositoryId, tx: Tx): Promise<void>;
  /** Points HEAD to another ref name. */
  setHead(id: RepositoryId, head: string, tx: Tx): Promise<void>;
  /** Points HEAD to another ref if that ref exists. @returns whether HEAD changed */
  switchHead(id: RepositoryId, head: string, tx: Tx): Promise<boolean>;
  /**
   * Deletes the rows of refs that were deleted before the previous call, so the time between two calls is the minimum
   * time for which these rows remain.
   *
   * @returns whether there are younger ones
   */
  compactRefs(id: RepositoryId): Promise<boolean>;
}
