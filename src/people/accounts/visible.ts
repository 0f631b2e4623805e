// Accounts in the records of other features, as a viewer may see them.

import type { Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import type { ShownAccount } from './model.ts';
import { listVisibleById } from './store/accounts.ts';

/** Finds the accounts that the viewer may see, by id. */
export async function findVisibleAccounts(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ShownAccount>> {
  if (ids.length === 0) return new Map();
  const found = await listVisibleById(db, viewer, [...new Set(ids)]);
  return new Map(found.map((account) => [account.id, account]));
}
