import type { Signature } from '../git/model.ts';
import type { ChangeOptions, Identity, MomentInZone } from './model.ts';

/** Who makes a change, as their commits name them. */
export interface Person {
  readonly name: string;
  /** the real address, or the one that hides it */
  readonly commitEmail: string;
}

export interface Signatures {
  readonly author: Signature;
  readonly committer: Signature;
}

/**
 * Who a commit names: an identity that was sent counts where it has an e-mail, one of the two stands in for the
 * other, and the caller for both.
 */
export function signaturesOf(options: ChangeOptions, caller: Person, nowMs: number): Signatures {
  const author = usable(options.author) ?? usable(options.committer) ?? named(caller);
  const committer = usable(options.committer) ?? usable(options.author) ?? named(caller);
  const now: MomentInZone = { seconds: Math.floor(nowMs / 1000), zone: '+0000' };
  return {
    author: { ...author, ...(options.dates.author ?? now) },
    committer: { ...committer, ...(options.dates.committer ?? now) },
  };
}

type Named = Pick<Signature, 'name' | 'email'>;

function usable(identity: Identity | undefined): Named | undefined {
  if (identity?.email === undefined || identity.email === '') return undefined;
  const { email, name } = identity;
  return {
    email,
    name: name === undefined || name === '' ? email.slice(0, email.indexOf('@')) || email : name,
  };
}

function named(caller: Person): Named {
  return { name: caller.name, email: caller.commitEmail };
}

/** The message as it is stored: trimmed, a line end behind it, or the line that signs it off. */
export function commitMessage(options: ChangeOptions, fallback: string, committer: Signature): string {
  const trimmed = options.message.trim();
  const message = trimmed === '' ? fallback : trimmed;
  return options.signoff
    ? `${message}\n\nSigned-off-by: ${committer.name} <${committer.email}>`
    : `${message}\n`;
}
