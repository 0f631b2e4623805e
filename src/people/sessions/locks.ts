import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { lockSignIn } from '../accounts/locks.ts';
import { hasSession } from './store.ts';

/**
 * Requires that a viewer may still sign in as for this request, and that a session has not ended. Keeps it so until the
 * transaction ends: an administrator who ends all sessions waits for it.
 *
 * @throws ForgeError `unauthenticated`
 */
export async function lockViewer(tx: Tx, { accountId, source }: SignedIn): Promise<void> {
  await lockSignIn(tx, accountId, source?.version);
  if (source?.kind === 'session' && !(await hasSession(tx, source.sessionId)))
    throw new ForgeError({ kind: 'unauthenticated', what: 'the session has ended: sign in again' });
}
