import type { Commit } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
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

/** Where a new branch starts. */
export type BranchStart =
  | { readonly kind: 'default-branch' }
  | { readonly kind: 'branch'; readonly name: string }
  /** a branch, tag or commit */
  | { readonly kind: 'ref'; readonly name: string };
