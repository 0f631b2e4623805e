import type { Commit, CommitSignature, Tag } from '../../git/format/model.ts';

/** A commit or a tag, as far as its signature matters. */
export interface Signed {
  /** null: not signed */
  readonly signature: CommitSignature | null;
  /** of the committer or the tagger, in any case */
  readonly email: string;
}

export function signedCommit({ signature, committer }: Commit): Signed {
  return { signature, email: committer.email };
}

export function signedTag({ signature, tagger }: Tag): Signed {
  return { signature, email: tagger?.email ?? '' };
}

/** The user who made a signature, or this server. */
export interface Signer {
  readonly name: string;
  readonly email: string;
  /** '' for this server */
  readonly username: string;
}

/** Whether a signature is that of the committer or the tagger, or of this server. */
export interface Verification {
  readonly isVerified: boolean;
  /** a word that clients translate; for a verified signature, the names of the signer and the key */
  readonly reason: string;
  readonly signature: CommitSignature | null;
  readonly signer: Signer | null;
}

/** Words that clients of this API know. */
export const REASONS = {
  notSigned: 'gpg.error.not_signed_commit',
  unreadable: 'gpg.error.extract_sign',
  unknownKey: 'gpg.error.no_gpg_keys_found',
  badSignature: 'gpg.error.probable_bad_signature',
  /** It could not be checked in time. Another request tries again. */
  unavailable: 'unavailable',
} as const;

export const NOT_SIGNED: Verification = unverified(null, REASONS.notSigned);

export function unverified(
  signature: CommitSignature | null,
  reason: (typeof REASONS)[keyof typeof REASONS],
): Verification {
  return { isVerified: false, reason, signature, signer: null };
}

/** Returns what a response shows of a verification and the object itself does not decide. */
export function stateOf({ isVerified, reason, signer }: Verification): unknown {
  return { isVerified, reason, signer };
}
