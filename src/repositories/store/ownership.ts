import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';

/**
 * @returns the name of the repository; undefined where it is not `fromId`'s
 * @throws a unique violation where the new owner has another one of this name
 */
export async function setOwner(
  tx: Tx,
  id: RepositoryId,
  owners: { fromId: number; toId: number },
): Promise<string | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ owner_id: owners.toId, is_in_transfer: 0 })
    .where('id', '=', id)
    .where('owner_id', '=', owners.fromId)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** @returns whether there is such a repository */
export async function setInTransfer(tx: Tx, id: RepositoryId, isInTransfer: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ is_in_transfer: isInTransfer ? 1 : 0 })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
