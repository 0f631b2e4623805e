import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';

/** From now on this name of this owner leads to the repository, until another one takes it. */
export async function insertRedirect(
  tx: Tx,
  redirect: { ownerId: number; name: string; repositoryId: RepositoryId },
): Promise<void> {
  const { ownerId, name, repositoryId } = redirect;
  const values = { repository_id: repositoryId, created_at: Date.now() };
  await tx
    .insertInto('repository_redirects')
    .values({ owner_id: ownerId, lower_name: name.toLowerCase(), ...values })
    .onConflict((conflict) => conflict.columns(['owner_id', 'lower_name']).doUpdateSet(values))
    .execute();
}

/** The name is taken. */
export async function deleteRedirect(tx: Tx, place: { ownerId: number; name: string }): Promise<void> {
  await tx
    .deleteFrom('repository_redirects')
    .where('owner_id', '=', place.ownerId)
    .where('lower_name', '=', place.name.toLowerCase())
    .execute();
}
