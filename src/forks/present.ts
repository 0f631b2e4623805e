import type { Static } from 'typebox';
import { type BranchBesideParent, canFollow } from './model.ts';
import type { SyncForkInfoSchema } from './schema.ts';

export function presentSyncForkInfo(found: BranchBesideParent): Static<typeof SyncForkInfoSchema> {
  return {
    allowed: canFollow(found),
    fork_commit: found.inFork,
    base_commit: found.inParent,
    commits_behind: found.behind,
  };
}
