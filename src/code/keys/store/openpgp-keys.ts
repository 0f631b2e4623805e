import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryPage } from '../../../base/database/query.ts';
import type { OpenPgpKeysTable } from '../../../base/database/schema/keys.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../../people/accounts/columns.ts';
import type { OpenPgpKey, OpenPgpKeyPart } from '../model.ts';
import type { OpenPgpPart, ReadOpenPgpKey } from '../openpgp/model.ts';

type PartRow = Omit<Selectable<OpenPgpKeysTable>, 'id'> & { part_id: number };
type KeyRow = PartRow & OwnerColumns;

const COLUMNS = fragment`k.id as part_id, k.account_id, k.primary_id, k.key_id, k.fingerprint, k.content, k.can_sign,
  k.can_certify, k.can_encrypt_communication, k.can_encrypt_storage, k.is_proved, k.created_at, k.expires_at`;

function partOf(row: PartRow): OpenPgpKeyPart {
  return {
    id: row.part_id,
    keyId: row.key_id,
    fingerprint: row.fingerprint,
    content: row.content,
    canSign: row.can_sign === 1,
    canCertify: row.can_certify === 1,
    canEncryptCommunication: row.can_encrypt_communication === 1,
    canEncryptStorage: row.can_encrypt_storage === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Lists the keys of an account, in the order in which they were added. */
export async function listOpenPgpKeys(db: Db, accountId: number, paging: Paging): Promise<Page<OpenPgpKey>> {
  const found = await listPrimary(db, fragment`k.account_id = ${accountId}`, paging);
  return { items: await complete(db, found.items), total: found.total };
}

export async function findOpenPgpKey(db: Db, accountId: number, id: number): Promise<OpenPgpKey | undefined> {
  return findWhere(db, fragment`k.account_id = ${accountId} and k.id = ${id}`);
}

/** @param keyId 16 hex digits in upper case, of the key or of one of its subkeys */
export async function findOpenPgpKeyById(
  db: Db,
  accountId: number,
  keyId: string,
): Promise<OpenPgpKey | undefined> {
  return findWhere(
    db,
    fragment`k.account_id = ${accountId} and k.id in (
      select coalesce(x.primary_id, x.id) from openpgp_keys x
      where x.account_id = ${accountId} and x.key_id = ${keyId})`,
  );
}

async function findWhere(db: Db, condition: Fragment): Promise<OpenPgpKey | undefined> {
  const { items } = await listPrimary(db, condition, { page: 1, limit: 1 });
  const [key] = await complete(db, items);
  return key;
}

function listPrimary(db: Db, condition: Fragment, paging: Paging): Promise<Page<KeyRow>> {
  const from = fragment`openpgp_keys k join accounts o on o.id = k.account_id
    where k.primary_id is null and ${condition}`;
  const select = fragment`${COLUMNS}, ${OWNER_COLUMNS}`;
  return queryPage(db, { select, from, orderBy: fragment`k.id` }, paging, (row: KeyRow) => row);
}

async function complete(db: Db, rows: readonly KeyRow[]): Promise<readonly OpenPgpKey[]> {
  const ids = rows.map((row) => row.part_id);
  if (ids.length === 0) return [];
  const subkeys = await query<PartRow>(
    db,
    fragment`select ${COLUMNS} from openpgp_keys k where k.primary_id in (${values(ids)}) order by k.id`,
  );
  const emails = await query<{ key_id: number; lower_email: string }>(
    db,
    fragment`select e.key_id, e.lower_email from openpgp_key_emails e where e.key_id in (${values(ids)})
      order by e.lower_email`,
  );
  return rows.map((row) => ({
    ...partOf(row),
    account: ownerOfColumns(row),
    isProved: row.is_proved === 1,
    subkeys: subkeys.filter(({ primary_id: primary }) => primary === row.part_id).map(partOf),
    emails: emails.filter(({ key_id: of }) => of === row.part_id).map((email) => email.lower_email),
  }));
}

export function countOpenPgpKeys(tx: Tx, accountId: number): Promise<number> {
  return queryCount(tx, fragment`openpgp_keys k where k.account_id = ${accountId} and k.primary_id is null`);
}

/** @returns the id of the key; undefined if a user has the key already */
export async function insertOpenPgpKey(
  tx: Tx,
  accountId: number,
  key: ReadOpenPgpKey & { readonly isProved: boolean },
): Promise<number | undefined> {
  const { isProved, subkeys, emails } = key;
  const columnsOf = (part: OpenPgpPart, primaryId: number | null) => ({
    account_id: accountId,
    primary_id: primaryId,
    key_id: part.keyId,
    fingerprint: part.fingerprint,
    content: part.content,
    can_sign: flag(part.canSign),
    can_certify: flag(part.canCertify),
    can_encrypt_communication: flag(part.canEncryptCommunication),
    can_encrypt_storage: flag(part.canEncryptStorage),
    is_proved: flag(isProved),
    created_at: part.createdAt,
    expires_at: part.expiresAt,
  });
  const row = await tx
    .insertInto('openpgp_keys')
    .values(columnsOf(key, null))
    .onConflict((conflict) => conflict.column('fingerprint').where('primary_id', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const parts = subkeys.map((subkey) => columnsOf(subkey, row.id));
  if (parts.length > 0) await tx.insertInto('openpgp_keys').values(parts).execute();
  const addresses = emails.map((email) => ({ key_id: row.id, lower_email: email }));
  if (addresses.length > 0) await tx.insertInto('openpgp_key_emails').values(addresses).execute();
  return row.id;
}

/** @returns whether the key is there */
export async function setProved(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx
    .updateTable('openpgp_keys')
    .set({ is_proved: 1 })
    .where((where) => where.or([where('id', '=', id), where('primary_id', '=', id)]))
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** @returns the fingerprint of the deleted key; undefined if the account has no such key */
export async function deleteOpenPgpKey(tx: Tx, accountId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('openpgp_keys')
    .where('account_id', '=', accountId)
    .where('primary_id', 'is', null)
    .where('id', '=', id)
    .returning('fingerprint')
    .executeTakeFirst();
  return row?.fingerprint;
}
