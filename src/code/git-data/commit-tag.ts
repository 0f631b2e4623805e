import type { Viewer } from '../../api/access/viewer.ts';
import type { Addresses } from '../../http/app.ts';
import { strongTag } from '../../http/conditional.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import { presentOwner } from '../../people/accounts/present.ts';
import { stateOf } from '../verification/model.ts';
import type { CommitOptions, KnownCommit } from './model.ts';

/** Reads which parts of commits a query asks for: all of them, unless it says otherwise. */
export function commitOptionsOf(query: {
  readonly stat?: boolean;
  readonly files?: boolean;
  readonly verification?: boolean;
}): CommitOptions {
  const { stat = true, files = true, verification = true } = query;
  return { hasStats: stat, hasFiles: files, hasVerification: verification };
}

/**
 * Returns the ETag of a response with these commits. Their changes follow from their ids, so they need not be read.
 *
 * @param also other parts of the response
 */
export function commitsTag(
  commits: readonly KnownCommit[],
  options: CommitOptions,
  { viewer, addresses, also = null }: { viewer: Viewer; addresses: Addresses; also?: unknown },
): string {
  const shown = (account: PublicAccount | null) =>
    account === null ? null : presentOwner(account, viewer, addresses);
  return strongTag([
    addresses.baseUrl,
    options,
    also,
    commits.map(({ repository, commit, author, committer, verification }) => [
      repository.owner.name,
      repository.name,
      commit.oid,
      shown(author),
      shown(committer),
      verification === null ? null : stateOf(verification),
    ]),
  ]);
}
