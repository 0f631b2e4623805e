import { notFound } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { deleteCollaboration } from './store/collaborators.ts';
import { moveName, setOwner } from './store/redirects.ts';
import { setInTransfer } from './store/transfers.ts';

/**
 * Gives a repository to another owner. Whoever asks for the old place is sent on; a collaboration of the new owner has no
 * sense any more.
 *
 * @returns the name of the repository
 * @throws ForgeError `not_found` where it is not `fromId`'s any more; a unique violation where the new owner has another
 *   repository of this name; a foreign key violation where there is no such owner any more
 */
export async function changeOwner(
  tx: Tx,
  id: RepositoryId,
  owners: { fromId: number; toId: number },
): Promise<string> {
  const { fromId, toId } = owners;
  const name = await setOwner(tx, id, owners);
  if (name === undefined) throw notFound('repository');
  await deleteCollaboration(tx, id, toId);
  await moveName(tx, id, { from: { ownerId: fromId, name }, to: { ownerId: toId, name } });
  return name;
}

/**
 * Writes down whether somebody was asked to take it over, and keeps the row for the transaction.
 *
 * @returns whether there is such a repository
 */
export function markInTransfer(tx: Tx, id: RepositoryId, isInTransfer: boolean): Promise<boolean> {
  return setInTransfer(tx, id, isInTransfer);
}
