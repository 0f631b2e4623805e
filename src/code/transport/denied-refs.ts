import { whyDenied } from '../../api/access/policy.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import { WHY_REJECTED } from '../../hosting/repositories/refs/pushes.ts';
import { TRANSPORT_LIMITS } from './limits.ts';
import { isProposal } from './proposals.ts';
import type { PushRequest } from './receive-pack.ts';

/**
 * Returns the refs that the pusher may not name in this push: ref -> why.
 *
 * @param rights.maintained refs that the pusher may update, but not delete, without permission to write the repository
 */
export function findDeniedRefs(
  { updates, capabilities }: PushRequest,
  { mayWrite, maintained }: { readonly mayWrite: boolean; readonly maintained: ReadonlySet<string> },
): ReadonlyMap<string, string> {
  const denied = new Map<string, string>();
  if (!mayWrite) {
    const isAllowed = ({ ref, new: commit }: RefUpdate) => maintained.has(ref) && commit !== null;
    const others = updates.filter((update) => !isProposal(update) && !isAllowed(update));
    for (const { ref } of others) denied.set(ref, whyDenied(REPOSITORY.push));
  }
  const isShared = capabilities.has('atomic') && updates.length > 1;
  updates.filter(isProposal).forEach((update, index) => {
    const why = isShared
      ? 'an atomic push proposes nothing besides other refs'
      : proposalProblem(update, index);
    if (why !== undefined) denied.set(update.ref, why);
  });
  return denied;
}

/** Explains why a push may not propose this commit, or returns undefined for a valid proposal. */
function proposalProblem(update: RefUpdate, index: number): string | undefined {
  const countMax = TRANSPORT_LIMITS.proposalsPerPushMax;
  if (index >= countMax) return `one push proposes at most ${countMax} commits`;
  if (update.new === null) return 'there is no such ref: close the pull request instead';
  return update.old === null ? undefined : WHY_REJECTED.stale;
}
