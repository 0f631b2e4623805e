import type { Db } from '../../base/database/database.ts';
import { values } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import { accountsWith } from './store/repository.ts';

/**
 * Filters accounts: returns the active users who may use the code of a repository at a level.
 *
 * @param repositoryId a `RepositoryId`
 */
export async function findWithCode(
  db: Db,
  repositoryId: number,
  { level, accountIds }: { readonly level: 'read' | 'write'; readonly accountIds: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const able = accountsWith({ level, units: ['code'] }, repositoryId, values([...new Set(accountIds)]));
  return new Set((await query<{ id: number }>(db, able)).map(({ id }) => id));
}
