import { notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import { deleteCollaboration } from './store/collaborators.ts';
import { moveName, setOwner } from './store/redirects.ts';

/**
 * Gives a repository to another owner. The old path redirects. Deletes a collaboration of the new owner.
 *
 * @returns the name of the repository
 * @throws ForgeError `not_found` if it no longer belongs to `fromId`; a unique violation if the new owner has another
 *   repository of this name; a foreign key violation if the new owner is missing
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
