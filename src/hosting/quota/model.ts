import type { Db } from '../../base/database/database.ts';
import type { Fragment } from '../../base/database/fragment.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { ByteKind } from './subjects.ts';

export interface QuotaSettings {
  /** of the large files and assets of one owner without a group that covers them; null: no limit */
  readonly ownerBytesMax: number | null;
  /** names of the groups whose rules apply to owners who are in no group */
  readonly defaultGroups: readonly string[];
}

export const NO_QUOTA: QuotaSettings = { ownerBytesMax: null, defaultGroups: [] };

/** A limit of all bytes that its subjects cover. */
export interface QuotaRule {
  readonly name: string;
  /** -1: no limit */
  readonly bytesMax: number;
  /** as the wire names them */
  readonly subjects: readonly string[];
}

/** Rules that apply together to the accounts of the group. */
export interface QuotaGroup {
  readonly name: string;
  readonly rules: readonly QuotaRule[];
}

/** Bytes that an owner has stored, by their kind. */
export type UsedBytes = Readonly<Record<ByteKind, number>>;

/** Bytes that an owner is about to store. */
export interface NewBytes {
  readonly kind: ByteKind;
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

/** A file that counts for an owner, with the addresses of what it belongs to; without the base URL. */
export interface CountedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly apiPath: string;
  readonly containedIn: { readonly apiPath: string; readonly pagePath: string };
}

/** Files of one kind in all repositories of an owner. */
export interface CountedFiles {
  count(db: Db, ownerId: number): Promise<number>;
  list(
    db: Db,
    ownerId: number,
    slice: { readonly offset: number; readonly limit: number },
  ): Promise<readonly CountedFile[]>;
}
