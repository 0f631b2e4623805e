import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';

/** Finds those of some users and organizations that a viewer may see, by id. */
export async function findPeople(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ShownAccount>> {
  if (ids.length === 0) return new Map();
  const rows = await query<UserColumns>(
    db,
    fragment`select ${USER_COLUMNS} from accounts o where o.id in (${values(ids)}) and ${accountVisible(viewer)} = 1`,
  );
  return new Map(rows.map(userOfColumns).map((account) => [account.id, account]));
}
