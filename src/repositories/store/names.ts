import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { Place } from './redirects.ts';

/** Where a repository stands, read so that it cannot change before the transaction ends. */
export async function lockPlace(tx: Tx, id: RepositoryId): Promise<Place | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returning(['owner_id', 'name'])
    .executeTakeFirst();
  return row === undefined ? undefined : { ownerId: row.owner_id, name: row.name };
}

/** @throws a unique violation where the owner has another repository of this name */
export async function setName(tx: Tx, id: RepositoryId, name: string): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ name, lower_name: name.toLowerCase(), updated_at: Date.now() })
    .where('id', '=', id)
    .execute();
}
