import { type CommitPerson, signatureAt } from '../git/commit-builder.ts';
import type { Signature } from '../git/model.ts';
import type { ChangeOptions, Identity } from './model.ts';

export interface Signatures {
  readonly author: Signature;
  readonly committer: Signature;
}

/**
 * Returns the author and the committer of a change. An identity in the request counts if it has an e-mail address. If
 * only one of the two counts, it serves for both; otherwise the caller does.
 */
export function signaturesOf(options: ChangeOptions, caller: CommitPerson, nowMs: number): Signatures {
  const author = usable(options.author) ?? usable(options.committer) ?? caller;
  const committer = usable(options.committer) ?? usable(options.author) ?? caller;
  return {
    author: { ...signatureAt(author, nowMs), ...options.dates.author },
    committer: { ...signatureAt(committer, nowMs), ...options.dates.committer },
  };
}

function usable(identity: Identity | undefined): CommitPerson | undefined {
  if (identity?.email === undefined || identity.email === '') return undefined;
  const { email, name } = identity;
  return {
    email,
    name: name === undefined || name === '' ? email.slice(0, email.indexOf('@')) || email : name,
  };
}

/** Returns the message to store: trimmed, with a final line feed or the line that signs it off. */
export function commitMessage(options: ChangeOptions, fallback: string, committer: Signature): string {
  const trimmed = options.message.trim();
  const message = trimmed === '' ? fallback : trimmed;
  return options.signoff
    ? `${message}\n\nSigned-off-by: ${committer.name} <${committer.email}>`
    : `${message}\n`;
}
