import { ForgeError, isFailure } from '../../../base/core/failure.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';

/** Clients get it, so it must not depend on who asks. */
const WHY =
  'the commits of the head are missing: the server from which the pull request was imported lacked them';

/**
 * Replaces the error of an operation on a pull request if it has failed because the repository lacks the head, as after an
 * import. Throws other errors unchanged.
 *
 * @param kind of the new error: `not_found` for reads, `conflict` for changes
 */
export async function rethrowWithHead(
  error: unknown,
  {
    objects,
    head,
    kind,
  }: { readonly objects: ObjectReader; readonly head: Oid; readonly kind: 'not_found' | 'conflict' },
): Promise<never> {
  const isMissing = isFailure(error, 'not_found');
  if (!isMissing || (await objects.info(head)) !== undefined) throw error;
  throw kind === 'conflict'
    ? new ForgeError({ kind, what: WHY }, { cause: error })
    : new ForgeError({ kind, what: 'head', say: WHY }, { cause: error });
}
