import type { Oid } from '../../git/format/model.ts';
import type { AheadBehind } from '../../git/interface/history.ts';

/** A branch of a fork, compared with the branch of the same name in its parent. */
export interface BranchBesideParent extends AheadBehind {
  readonly branch: string;
  readonly inFork: Oid;
  readonly inParent: Oid;
}

/** Whether the branch can be fast-forwarded: the parent has new commits, and the fork has none of its own. */
export function canFollow({ behind, ahead }: AheadBehind): boolean {
  return behind > 0 && ahead === 0;
}
