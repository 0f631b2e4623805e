import type { Db, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** Lists the flags of a repository by name. */
export async function listFlags(db: Db, repositoryId: RepositoryId): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('repository_flags')
    .select('name')
    .where('repository_id', '=', repositoryId)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

export async function insertFlags(
  tx: Tx,
  repositoryId: RepositoryId,
  names: readonly string[],
  at: number,
): Promise<void> {
  if (names.length === 0) return;
  await tx
    .insertInto('repository_flags')
    .values(names.map((name) => ({ repository_id: repositoryId, name, created_at: at })))
    .execute();
}

export async function deleteFlags(
  tx: Tx,
  repositoryId: RepositoryId,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await tx
    .deleteFrom('repository_flags')
    .where('repository_id', '=', repositoryId)
    .where('name', 'in', names)
    .execute();
}
