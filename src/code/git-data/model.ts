import type { Commit, Oid, TreeEntry } from '../../git/format/model.ts';
import type { CommitChanges } from '../../git/interface/history.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Verification } from '../verification/model.ts';

export interface Blob {
  readonly repository: Repository;
  readonly oid: Oid;
  readonly sizeBytes: number;
  /** null above the size that `/settings/api` reports */
  readonly content: Uint8Array | null;
}

/** An entry of a tree, with its path from the root of the listed tree. */
export interface ListedEntry {
  readonly path: string;
  readonly mode: TreeEntry['mode'];
  readonly oid: Oid;
  /** 0 for trees and submodules */
  readonly sizeBytes: number;
}

/** One page of the entries of a tree. */
export interface TreePage {
  readonly repository: Repository;
  /** the tree, or the commit that was asked for */
  readonly oid: Oid;
  readonly entries: readonly ListedEntry[];
  readonly page: number;
  /** number of entries, up to a limit */
  readonly total: number;
  /** whether entries follow those of this page, also if the limit leaves them out; false for a page behind the last one */
  readonly isTruncated: boolean;
}

export interface TreeOptions {
  readonly isRecursive: boolean;
  /** from 1 */
  readonly page: number;
  readonly perPage: number;
}

/** A commit that the server has just written. */
export interface WrittenCommit {
  readonly repository: Repository;
  readonly commit: Commit;
  readonly verification: Verification;
}

/** A commit, and who made it. */
export interface KnownCommit {
  readonly repository: Repository;
  readonly commit: Commit;
  /** accounts of the author and the committer, as far as the viewer may connect them with the e-mail addresses */
  readonly author: PublicAccount | null;
  readonly committer: PublicAccount | null;
  /** null if it was not asked for */
  readonly verification: Verification | null;
}

/** A commit, with what was asked for about it. */
export interface CommitDetails extends KnownCommit {
  /** null if neither files nor numbers of lines were asked for */
  readonly changes: CommitChanges | null;
  readonly options: CommitOptions;
}

export interface CommitOptions {
  readonly hasStats: boolean;
  readonly hasFiles: boolean;
  readonly hasVerification: boolean;
}
