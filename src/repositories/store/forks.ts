import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';

export async function hasForkOf(tx: Tx, parentId: RepositoryId, ownerId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('repositories')
    .select('id')
    .where('parent_id', '=', parentId)
    .where('owner_id', '=', ownerId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countFork(tx: Tx, parentId: RepositoryId): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ forks_count: sql<number>`forks_count + 1` })
    .where('id', '=', parentId)
    .execute();
}

/** Removes a fork from the count of its parent, before the repository is deleted. */
export async function uncountFork(tx: Tx, id: RepositoryId): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ forks_count: sql<number>`forks_count - 1` })
    .where('id', '=', (of) =>
      of.selectFrom('repositories as gone').select('parent_id').where('gone.id', '=', id),
    )
    .execute();
}
