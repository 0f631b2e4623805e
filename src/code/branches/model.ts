import type { Commit, Oid } from '../../git/format/model.ts';
import type { AheadBehind } from '../../git/interface/history.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import type { ProtectionForViewer } from '../protection/model.ts';
import type { Verification } from '../verification/model.ts';

/** A branch as a viewer sees it. */
export interface Branch {
  readonly repository: Repository;
  /** short name */
  readonly name: string;
  readonly commit: Commit;
  readonly verification: Verification;
  /** names of the users behind e-mail addresses in lower case, as far as the viewer may connect them */
  readonly userNames: ReadonlyMap<string, string>;
  /** the protection that applies; undefined for a branch that is not protected */
  readonly protection: ProtectionForViewer | undefined;
  readonly rights: BranchRights;
}

/** What the viewer may do with a branch. */
export interface BranchRights {
  readonly mayPush: boolean;
  readonly mayMerge: boolean;
  /** only administrators of the repository see which protection applies */
  readonly seesProtections: boolean;
}

/** A page of the branches of a repository. */
export interface BranchOverview {
  readonly permitted: PermittedRepository;
  /** the default branch first, unless it has no commit, also on later pages */
  readonly branches: readonly Branch[];
  /** of all pages */
  readonly total: number;
  /** commits that the default branch lacks, and those that only it has, by the commit of a branch */
  readonly counts: ReadonlyMap<Oid, AheadBehind>;
}

/** Where a new branch starts. */
export type BranchStart =
  | { readonly kind: 'default-branch' }
  | { readonly kind: 'branch'; readonly name: string }
  /** a branch, tag or commit */
  | { readonly kind: 'ref'; readonly name: string };
