import type { Fragment } from '../../base/database/fragment.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';

export interface QuotaSettings {
  /** of all that counts for one owner; null: no limit */
  readonly ownerBytesMax: number | null;
}

/** Bytes that an owner is about to store. */
export interface NewBytes {
  readonly sizeBytes: number;
  /** unfinished uploads whose bytes these are, so that they do not count twice */
  readonly uploads?: UnfinishedUploads;
}

/** An upload that arrives, and counts meanwhile. */
export interface ArrivingBytes {
  /** @throws ForgeError `too_large`, with the reason `quota`, if the owner has no room for as many bytes as have arrived */
  add(bytes: number): void;
}

/** Unfinished uploads of one account to one repository. The same bytes count in every other upload, too. */
export interface UnfinishedUploads {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
  readonly names: readonly string[];
}

/**
 * Sums the bytes of one kind that count for an owner: a statement with one row and one column, which is not null.
 *
 * @param without unfinished uploads that do not count
 */
export type SumOfBytes = (ownerId: number, without: UnfinishedUploads | undefined) => Fragment;
