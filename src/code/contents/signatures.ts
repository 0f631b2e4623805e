import type { Signature } from '../../git/format/model.ts';
import { encodePerson } from '../../git/format/signature-line.ts';
import { type CommitPerson, signatureAt } from '../../git/trees/commit-builder.ts';
import type { ChangeOptions, Identity } from './model.ts';

export interface Signatures {
  readonly author: Signature;
  readonly committer: Signature;
}

/** Whether the committer of a change is the person who asked for it, so that the server may sign the commit. */
export function isByCaller({ committer }: Signatures, caller: ChangingPerson): boolean {
  const email = committer.email.toLowerCase();
  return [caller.email, caller.ownEmail].some((own) => own.toLowerCase() === email);
}

/** The person who makes a change. */
interface ChangingPerson extends CommitPerson {
  /** may be hidden, but a request may state it */
  readonly ownEmail: string;
}

/**
 * Returns the author and the committer of a change. An identity in the request counts if it has an e-mail address. If
 * only one of the two counts, it serves for both; otherwise the caller does.
 */
export function signaturesOf(options: ChangeOptions, caller: ChangingPerson, nowMs: number): Signatures {
  const [stated, statedCommitter] = [usable(options.author, caller), usable(options.committer, caller)];
  const author = stated ?? statedCommitter ?? caller;
  const committer = statedCommitter ?? stated ?? caller;
  return {
    author: { ...signatureAt(author, nowMs), ...options.dates.author },
    committer: { ...signatureAt(committer, nowMs), ...options.dates.committer },
  };
}

function usable(identity: Identity | undefined, caller: ChangingPerson): CommitPerson | undefined {
  if (identity?.email === undefined || identity.email === '') return undefined;
  const { email, name = '' } = identity;
  return { email, name: name === '' ? nameFor(email, caller) : name };
}

/** Returns the name for an address that came without one. */
function nameFor(email: string, caller: ChangingPerson): string {
  if (email.toLowerCase() === caller.ownEmail.toLowerCase()) return caller.name;
  return email.slice(0, email.indexOf('@')) || email;
}

/** Returns the message to store: trimmed, with a final line feed or the line that signs it off. */
export function commitMessage(options: ChangeOptions, fallback: string, committer: Signature): string {
  const trimmed = options.message.trim();
  const message = trimmed === '' ? fallback : trimmed;
  return options.signoff ? `${message}\n\nSigned-off-by: ${encodePerson(committer)}` : `${message}\n`;
}
