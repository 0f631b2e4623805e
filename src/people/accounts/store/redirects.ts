import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';

/** @throws a unique violation if another account has the name */
export async function setName(tx: Tx, id: number, name: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ name, lower_name: name.toLowerCase(), updated_at: currentTimeMs() })
    .where('id', '=', id)
    .execute();
}

/** Redirects requests for `name` to the account. */
export async function insertRedirect(tx: Tx, name: string, accountId: number): Promise<void> {
  const row = { account_id: accountId, created_at: currentTimeMs() };
  await tx
    .insertInto('account_redirects')
    .values({ lower_name: name.toLowerCase(), ...row })
    .onConflict((conflict) => conflict.column('lower_name').doUpdateSet(row))
    .execute();
}

/** Deletes the redirect of a name, because an account takes the name. */
export async function deleteRedirect(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('account_redirects').where('lower_name', '=', name.toLowerCase()).execute();
}

/** Returns the current name of the account that had `oldName`, for any viewer. */
export async function findNewName(db: Db, oldName: string): Promise<string | undefined> {
  const row = await queryFirst<{ name: string }>(db, redirectedFrom(oldName));
  return row?.name;
}

/**
 * Returns those of these names that an account has, or had before it got another one.
 *
 * @param names in lower case
 */
export async function listTakenNames(db: Db, names: readonly string[]): Promise<readonly string[]> {
  const rows = await query<{ lower_name: string }>(
    db,
    fragment`select o.lower_name from accounts o where o.lower_name in (${values(names)})
      union select f.lower_name from account_redirects f where f.lower_name in (${values(names)})`,
  );
  return rows.map((row) => row.lower_name);
}

function redirectedFrom(oldName: string): Fragment {
  return fragment`select o.name from account_redirects f join accounts o on o.id = f.account_id
    where f.lower_name = ${oldName.toLowerCase()}`;
}

/** Returns the current name of the account that had `oldName`, if the account is visible to `viewer`. */
export async function findVisibleNewName(
  db: Db,
  viewer: Viewer,
  oldName: string,
): Promise<string | undefined> {
  const visible = fragment`${redirectedFrom(oldName)} and ${accountVisible(viewer)} = 1`;
  const row = await queryFirst<{ name: string }>(db, visible);
  return row?.name;
}
