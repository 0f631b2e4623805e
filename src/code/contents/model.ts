import type { Commit, Oid, Signature } from '../../git/format/model.ts';
import type { LastCommit } from '../../git/interface/history.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { LfsPointer } from '../../hosting/lfs/pointer.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import type { FileContent } from './file-contents.ts';

/** An entry of a tree, as the contents API shows it. */
export interface ContentsEntry {
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule';
  readonly name: string;
  /** from the root of the repository, `/` between segments */
  readonly path: string;
  readonly oid: Oid;
  readonly lastCommit: LastCommit;
  /** 0 for folders and submodules */
  readonly sizeBytes: number;
  /** null in lists, for entries other than files, and above the limit that `/settings/api` reports */
  readonly content: Uint8Array | null;
  /** the target of a symlink */
  readonly target: string | null;
  readonly submoduleUrl: string | null;
}

/** An entry with only the parts that were asked for. */
export interface ExtendedEntry extends Omit<ContentsEntry, 'lastCommit'> {
  /** null if it was not asked for */
  readonly lastCommit: Commit | null;
  /** null for other files than pointers, or if it was not asked for */
  readonly lfs: LfsPointer | null;
}

/** The parts of entries that cost more than the rest. */
export interface Included {
  /** of a single file */
  readonly content: boolean;
  readonly lfs: boolean;
  readonly commits: boolean;
}

/** The requested ref, as addresses name it. */
interface RefLabel {
  readonly kind: 'branch' | 'tag' | 'commit';
  readonly name: string;
  /** as the request has it, or the default branch */
  readonly asked: string;
}

/** One commit of a repository, authorized. */
export interface ContentsPlace {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly ref: RefLabel;
  readonly commit: Oid;
}

/** A path at that commit. */
export interface ContentsLocation extends ContentsPlace {
  /** '' for the root */
  readonly path: string;
}

/** A path that an address names, and what its reader may do in the repository. */
export interface AddressedLocation extends ContentsLocation {
  readonly permitted: PermittedRepository;
}

export interface Identity {
  readonly name?: string;
  readonly email?: string;
}

/** Options of any change of a file. */
export interface ChangeOptions {
  /** '': a default that names the path */
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

/**
 * A change of one file. Its content arrives with the request and is a blob later.
 *
 * @typeParam NewContent of a file that may be new; undefined: an empty file
 */
export type FileChange<Content = FileContent, NewContent = Content | undefined> =
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly content: NewContent;
      /** The change asks for an update without naming a version, so it needs a commit and a path without a file. */
      readonly isUpdate?: true;
    }
  | {
      readonly kind: 'update';
      readonly path: string;
      /** undefined: the file keeps its content and only moves */
      readonly content: Content | undefined;
      /** of the version that the caller has seen; undefined: any version */
      readonly oid: Oid | undefined;
      /** the current path of the file; undefined if it does not move */
      readonly fromPath: string | undefined;
    }
  /** Creates the file or replaces it. */
  | {
      readonly kind: 'upload';
      readonly path: string;
      readonly content: NewContent;
      /** of the version that the caller has seen; undefined: any version, or none */
      readonly oid: Oid | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly oid: Oid };
