import type { Db } from '../../../base/database/database.ts';
import { values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { accountsWith } from './repository.ts';

/** Finds the active users among some accounts who may use the code of a repository at a level. */
export async function findCodeUsers(
  db: Db,
  repositoryId: number,
  { level, accountIds }: { readonly level: 'read' | 'write'; readonly accountIds: readonly number[] },
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    accountsWith({ level, units: ['code'] }, repositoryId, values(accountIds)),
  );
  return rows.map(({ id }) => id);
}
