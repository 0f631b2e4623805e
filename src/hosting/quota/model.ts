import type { Fragment } from '../../base/database/fragment.ts';

export interface QuotaSettings {
  /** of all that counts for one owner; null: no limit */
  readonly ownerBytesMax: number | null;
}

/** Bytes that an owner is about to store. */
export interface NewBytes {
  readonly sizeBytes: number;
  /** names of unfinished uploads whose bytes these are, so that they do not count twice */
  readonly uploads?: readonly string[];
}

/**
 * Sums the bytes of one kind that count for an owner: a statement with one row and one column, which is not null.
 *
 * @param uploads names of unfinished uploads that do not count
 */
export type SumOfBytes = (ownerId: number, uploads: readonly string[]) => Fragment;
