import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import { PROPOSALS } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';

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

/** What an accepted proposal has done. */
export interface AcceptedProposal {
  /** of the ref that has the commit now */
  readonly moved: RefUpdate;
  /** The new commit does not have the old one in its history. */
  readonly isForced: boolean;
}

/** The feature that accepts proposals. */
export interface Proposals {
  /** Whether the viewer may propose commits in a repository, even without permission to push. */
  mayPropose(viewer: Viewer, permitted: PermittedRepository): boolean;
  /** @throws ForgeError whose text becomes the answer for the ref */
  accept(push: ProposedPush): Promise<AcceptedProposal>;
}

export interface ProposalAnswers {
  /** by the ref that the client named */
  readonly accepted: ReadonlyMap<string, AcceptedProposal>;
  /** ref -> why */
  readonly rejected: ReadonlyMap<string, string>;
}

export const NO_ANSWERS: ProposalAnswers = { accepted: new Map(), rejected: new Map() };

/** Accepts or rejects the proposals of one push, one after the other. */
export async function acceptEach(
  proposals: Proposals,
  push: Omit<ProposedPush, 'ref' | 'commit'>,
  updates: readonly RefUpdate[],
): Promise<ProposalAnswers> {
  const accepted = new Map<string, AcceptedProposal>();
  const rejected = new Map<string, string>();
  for (const { ref, new: commit } of updates) {
    if (commit === null) continue;
    try {
      accepted.set(ref, await proposals.accept({ ...push, ref, commit }));
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      rejected.set(ref, error.message);
    }
  }
  return { accepted, rejected };
}

export function isProposal({ ref }: Pick<RefUpdate, 'ref'>): boolean {
  return ref.startsWith(PROPOSALS);
}
