import type { Apart, Oid } from '../git/model.ts';

/** A branch of a fork beside the one of the same name of its parent. */
export interface BranchBesideParent extends Apart {
  readonly branch: string;
  readonly inFork: Oid;
  readonly inParent: Oid;
}

/** Where the parent has more, and the fork nothing of its own, the branch can be moved on. */
export function canFollow({ behind, ahead }: Apart): boolean {
  return behind > 0 && ahead === 0;
}
