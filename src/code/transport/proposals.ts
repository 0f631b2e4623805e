import { whyDenied } from '../../api/access/policy.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import { PROPOSALS } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { WHY_REJECTED } from '../../hosting/repositories/refs/pushes.ts';
import { TRANSPORT_LIMITS } from './limits.ts';
import type { PushRequest } from './receive-pack.ts';

/** A commit that a client proposes for a branch, by a push to a ref that does not exist. */
export interface ProposedPush {
  readonly pusher: Viewer;
  /** as it was when the push began */
  readonly permitted: PermittedRepository;
  /** has the commit */
  readonly session: WriteSession;
  /** as the client sent them with `git push -o` */
  readonly options: readonly string[];
  /** begins with `refs/for/`; may be malformed */
  readonly ref: string;
  readonly commit: Oid;
}

/** What a proposal has done. */
export interface TakenProposal {
  /** of the ref that has the commit now */
  readonly moved: RefUpdate;
  /** The new commit does not have the old one in its history. */
  readonly isForced: boolean;
}

/** The feature that takes proposals. */
export interface Proposals {
  /** Whether the viewer may propose commits in a repository, even without permission to push. */
  mayPropose(viewer: Viewer, permitted: PermittedRepository): boolean;
  /** Whether the viewer may update branches of a repository without permission to write it. */
  maintains(viewer: Viewer, permitted: PermittedRepository): Promise<boolean>;
  /** @throws ForgeError whose text becomes the answer for the ref */
  take(push: ProposedPush): Promise<TakenProposal>;
}

export interface ProposalAnswers {
  /** by the ref that the client named */
  readonly taken: ReadonlyMap<string, TakenProposal>;
  /** ref -> why */
  readonly rejected: ReadonlyMap<string, string>;
}

export const NO_ANSWERS: ProposalAnswers = { taken: new Map(), rejected: new Map() };

/** Takes the proposals of one push, one after the other. */
export async function takeEach(
  proposals: Proposals,
  push: Omit<ProposedPush, 'ref' | 'commit'>,
  updates: readonly RefUpdate[],
): Promise<ProposalAnswers> {
  const taken = new Map<string, TakenProposal>();
  const rejected = new Map<string, string>();
  for (const { ref, new: commit } of updates) {
    if (commit === null) continue;
    try {
      taken.set(ref, await proposals.take({ ...push, ref, commit }));
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      rejected.set(ref, error.message);
    }
  }
  return { taken, rejected };
}

export function isProposal({ ref }: Pick<RefUpdate, 'ref'>): boolean {
  return ref.startsWith(PROPOSALS);
}

/**
 * Returns the refs that the pusher may not name in this push: ref -> why.
 *
 * @param rights.maintained refs that the pusher may update, but not delete, without permission to write the repository
 */
export function findDenied(
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
    const why = isShared ? 'an atomic push proposes nothing besides other refs' : whyNot(update, index);
    if (why !== undefined) denied.set(update.ref, why);
  });
  return denied;
}

function whyNot(update: RefUpdate, index: number): string | undefined {
  const countMax = TRANSPORT_LIMITS.proposalsPerPushMax;
  if (index >= countMax) return `one push proposes at most ${countMax} commits`;
  if (update.new === null) return 'there is no such ref: close the pull request instead';
  return update.old === null ? undefined : WHY_REJECTED.stale;
}
