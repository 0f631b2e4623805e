import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { type BranchBesideParent, canFollow } from './model.ts';
import { SyncForkInfoSchema } from './schema.ts';

export function presentSyncForkInfo(found: BranchBesideParent): Static<typeof SyncForkInfoSchema> {
  return {
    allowed: canFollow(found),
    fork_commit: found.inFork,
    base_commit: found.inParent,
    commits_behind: found.behind,
  };
}

export const SyncForkInfoAnswer = answerOf(SyncForkInfoSchema, presentSyncForkInfo);
