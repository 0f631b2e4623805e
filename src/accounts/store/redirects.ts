import { ACCOUNT_VISIBLE, visibleParameters } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { type Db, hotQuery, type Tx } from '../../database/database.ts';

/** @throws a unique violation where the name is taken */
export async function setName(tx: Tx, id: number, name: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ name, lower_name: name.toLowerCase(), updated_at: Date.now() })
    .where('id', '=', id)
    .execute();
}

/** Whoever asks for the account by this name is sent on from now on. */
export async function insertRedirect(tx: Tx, name: string, accountId: number): Promise<void> {
  const row = { account_id: accountId, created_at: Date.now() };
  await tx
    .insertInto('account_redirects')
    .values({ lower_name: name.toLowerCase(), ...row })
    .onConflict((conflict) => conflict.column('lower_name').doUpdateSet(row))
    .execute();
}

/** The name is somebody's own again. */
export async function deleteRedirect(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('account_redirects').where('lower_name', '=', name.toLowerCase()).execute();
}

const redirect = hotQuery<{ name: string }>(
  'select o.name from account_redirects f join accounts o on o.id = f.account_id where f.lower_name = ?',
);
const visibleRedirect = hotQuery<{ name: string }>(
  `select o.name from account_redirects f join accounts o on o.id = f.account_id
  where f.lower_name = ? and ${ACCOUNT_VISIBLE} = 1`,
);

/** The present name of the account that had this one, whoever asks. */
export async function findNewName(db: Db, oldName: string): Promise<string | undefined> {
  const [row] = await redirect(db, [oldName.toLowerCase()]);
  return row?.name;
}

/** The same where `viewer` may know of the account. */
export async function findVisibleNewName(
  db: Db,
  viewer: Viewer,
  oldName: string,
): Promise<string | undefined> {
  const [row] = await visibleRedirect(db, [oldName.toLowerCase(), ...visibleParameters(viewer)]);
  return row?.name;
}
