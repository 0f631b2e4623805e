import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment } from '../../../base/database/fragment.ts';
import { queryCount, queryFirst, queryPage } from '../../../base/database/query.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../../people/accounts/columns.ts';
import type { NewSshKey, SshKey } from '../model.ts';

interface SshKeyRow extends OwnerColumns {
  key_id: number;
  type: string;
  content: string;
  comment: string;
  fingerprint: string;
  title: string;
  is_proved: number;
  key_created_at: number;
  last_used_at: number | null;
}

const COLUMNS = fragment`k.id as key_id, k.type, k.content, k.comment, k.fingerprint, k.title, k.is_proved,
  k.created_at as key_created_at, k.last_used_at, ${OWNER_COLUMNS}`;
const KEYS = fragment`ssh_keys k join accounts o on o.id = k.account_id`;

function keyOf(row: SshKeyRow): SshKey {
  return {
    id: row.key_id,
    type: row.type,
    content: row.content,
    comment: row.comment,
    fingerprint: row.fingerprint,
    title: row.title,
    isProved: row.is_proved === 1,
    account: ownerOfColumns(row),
    createdAt: row.key_created_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Lists the keys of an account, the oldest first; with a fingerprint, only the key that has it. */
export function listSshKeys(
  db: Db,
  accountId: number,
  fingerprint: string | undefined,
  paging: Paging,
): Promise<Page<SshKey>> {
  const ofAccount = fragment`${KEYS} where k.account_id = ${accountId}`;
  const from =
    fingerprint === undefined ? ofAccount : fragment`${ofAccount} and k.fingerprint = ${fingerprint}`;
  return queryPage(db, { select: COLUMNS, from, orderBy: fragment`k.id` }, paging, keyOf);
}

/** Finds a key by its id, if its user is visible to the viewer. */
export async function findSshKey(db: Db, viewer: Viewer, id: number): Promise<SshKey | undefined> {
  const condition = fragment`k.id = ${id} and ${accountVisible(viewer)} = 1`;
  const row = await queryFirst<SshKeyRow>(db, fragment`select ${COLUMNS} from ${KEYS} where ${condition}`);
  return row && keyOf(row);
}

export function countSshKeys(tx: Tx, accountId: number): Promise<number> {
  return queryCount(tx, ofAccount(accountId));
}

export async function isTitleUsed(tx: Tx, accountId: number, title: string): Promise<boolean> {
  return (await queryCount(tx, fragment`${ofAccount(accountId)} and k.title = ${title}`)) > 0;
}

function ofAccount(accountId: number): Fragment {
  return fragment`ssh_keys k where k.account_id = ${accountId}`;
}

/** @returns the id of the key; undefined if the server has the key already */
export async function insertSshKey(
  tx: Tx,
  accountId: number,
  key: NewSshKey & { readonly title: string; readonly isProved: boolean },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('ssh_keys')
    .values({
      ...columnsOf(key),
      account_id: accountId,
      title: key.title,
      is_proved: key.isProved ? 1 : 0,
      created_at: currentTimeMs(),
    })
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** The user or the deploy keys that have a key. */
export interface KeyHolder {
  readonly keyId: number;
  /** null: deploy keys */
  readonly accountId: number | null;
  readonly isProved: boolean;
}

/** Finds who has a key, and keeps it so until the transaction ends. */
export async function lockKeyHolder(tx: Tx, fingerprint: string): Promise<KeyHolder | undefined> {
  const row = await tx
    .updateTable('ssh_keys')
    .set((old) => ({ fingerprint: old.ref('fingerprint') }))
    .where('fingerprint', '=', fingerprint)
    .returning(['id', 'account_id', 'is_proved'])
    .executeTakeFirst();
  return row && { keyId: row.id, accountId: row.account_id, isProved: row.is_proved === 1 };
}

/** The columns that the key itself decides. */
export function columnsOf({ type, content, comment, fingerprint }: NewSshKey) {
  return { type, content, comment, fingerprint };
}

/** @returns the fingerprint of the deleted key; undefined if the account has no such key */
export async function deleteSshKey(tx: Tx, accountId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('ssh_keys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('fingerprint')
    .executeTakeFirst();
  return row?.fingerprint;
}
