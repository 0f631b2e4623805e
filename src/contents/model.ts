import type { Oid, Signature } from '../git/model.ts';
import type { LastCommit } from './last-commits/model.ts';

/** One entry of a tree as the contents API tells it. */
export interface ContentsEntry {
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule';
  readonly name: string;
  /** from the root of the repository, `/` between segments */
  readonly path: string;
  readonly oid: Oid;
  readonly lastCommit: LastCommit;
  /** 0 for folders and submodules */
  readonly sizeBytes: number;
  /** of a file that was asked for by itself; null in lists and for everything else */
  readonly content: Uint8Array | null;
  /** what a symlink points to */
  readonly target: string | null;
  readonly submoduleUrl: string | null;
}

/** How the ref that was asked for is named in addresses. */
export interface RefLabel {
  readonly kind: 'branch' | 'tag' | 'commit';
  readonly name: string;
  /** as the caller wrote it, or the default branch */
  readonly asked: string;
}

export interface Identity {
  readonly name?: string;
  readonly email?: string;
}

/** What is common to all changes of a file. */
export interface ChangeOptions {
  /** '' for a default that names the path */
  readonly message: string;
  /** undefined: the default branch */
  readonly branch: string | undefined;
  readonly newBranch: string | undefined;
  readonly overwriteNewBranch: boolean;
  readonly author: Identity | undefined;
  readonly committer: Identity | undefined;
  readonly dates: { readonly author: MomentInZone | undefined; readonly committer: MomentInZone | undefined };
  readonly signoff: boolean;
}

export type MomentInZone = Pick<Signature, 'seconds' | 'zone'>;

export type FileChange =
  | { readonly kind: 'create'; readonly path: string; readonly content: Uint8Array }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly content: Uint8Array;
      readonly oid: Oid;
      /** where the file is until now; undefined for a file that stays in place */
      readonly fromPath: string | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly oid: Oid };
