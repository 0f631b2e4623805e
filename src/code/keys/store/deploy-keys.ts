import { sql } from 'kysely';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { DeployKey, DeployKeyFilter, NewSshKey } from '../model.ts';
import { columnsOf } from './ssh-keys.ts';

interface DeployKeyRow {
  id: number;
  ssh_key_id: number;
  type: string;
  content: string;
  comment: string;
  fingerprint: string;
  title: string;
  is_read_only: number;
  created_at: number;
  last_used_at: number | null;
}

const COLUMNS = fragment`d.id, d.ssh_key_id, k.type, k.content, k.comment, k.fingerprint, d.title, d.is_read_only,
  d.created_at, d.last_used_at`;

function keyOf(row: DeployKeyRow): DeployKey {
  return {
    id: row.id,
    keyId: row.ssh_key_id,
    type: row.type,
    content: row.content,
    comment: row.comment,
    fingerprint: row.fingerprint,
    title: row.title,
    isReadOnly: row.is_read_only === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function keysOf(repositoryId: RepositoryId): Fragment {
  return fragment`deploy_keys d join ssh_keys k on k.id = d.ssh_key_id where d.repository_id = ${repositoryId}`;
}

/** Lists the deploy keys of a repository, the oldest first. */
export function listDeployKeys(
  db: Db,
  repositoryId: RepositoryId,
  { keyId, fingerprint }: DeployKeyFilter,
  paging: Paging,
): Promise<Page<DeployKey>> {
  const byId = keyId === undefined ? fragment`` : fragment` and d.ssh_key_id = ${keyId}`;
  const byPrint = fingerprint === undefined ? fragment`` : fragment` and k.fingerprint = ${fingerprint}`;
  const from = fragment`${keysOf(repositoryId)}${byId}${byPrint}`;
  return queryPage(db, { select: COLUMNS, from, orderBy: fragment`d.id` }, paging, keyOf);
}

export async function findDeployKey(
  db: Db,
  repositoryId: RepositoryId,
  id: number,
): Promise<DeployKey | undefined> {
  const statement = fragment`select ${COLUMNS} from ${keysOf(repositoryId)} and d.id = ${id}`;
  const row = await queryFirst<DeployKeyRow>(db, statement);
  return row && keyOf(row);
}

export function countDeployKeys(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  return queryCount(tx, fragment`deploy_keys d where d.repository_id = ${repositoryId}`);
}

/** Returns whether a deploy key of the repository has this title, and whether one has this key. */
export async function findClash(
  tx: Tx,
  repositoryId: RepositoryId,
  key: { readonly title: string; readonly fingerprint: string },
): Promise<{ readonly title: boolean; readonly key: boolean }> {
  const rows = await query<{ title: string; fingerprint: string }>(
    tx,
    fragment`select d.title, k.fingerprint from ${keysOf(repositoryId)}
      and (d.title = ${key.title} or k.fingerprint = ${key.fingerprint})`,
  );
  return {
    title: rows.some(({ title }) => title === key.title),
    key: rows.some(({ fingerprint }) => fingerprint === key.fingerprint),
  };
}

/**
 * Inserts the row of a key that is to be a deploy key, or finds it. The row stays locked until the transaction ends.
 *
 * @returns undefined if it is the key of a user
 */
export async function lockSharedKey(tx: Tx, key: NewSshKey): Promise<number | undefined> {
  const row = await tx
    .insertInto('ssh_keys')
    .values({ ...columnsOf(key), account_id: null, title: '', created_at: currentTimeMs() })
    .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet({ type: key.type }))
    .returning(['id', 'account_id'])
    .executeTakeFirstOrThrow();
  return row.account_id === null ? row.id : undefined;
}

export async function insertDeployKey(
  tx: Tx,
  repositoryId: RepositoryId,
  key: {
    readonly keyId: number;
    readonly title: string;
    readonly isReadOnly: boolean;
    readonly addedById: number;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('deploy_keys')
    .values({
      repository_id: repositoryId,
      ssh_key_id: key.keyId,
      title: key.title,
      is_read_only: flag(key.isReadOnly),
      created_at: currentTimeMs(),
      added_by: key.addedById,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Deletes a deploy key, and the key itself unless other repositories have it. */
export async function deleteDeployKey(tx: Tx, { id, keyId }: DeployKey): Promise<void> {
  await lockKeys(tx, [keyId]);
  await tx.deleteFrom('deploy_keys').where('id', '=', id).execute();
  await deleteUnused(tx, [keyId]);
}

/** Deletes all deploy keys of a repository, in the same way. */
export async function deleteDeployKeysOf(tx: Tx, repositoryId: RepositoryId): Promise<void> {
  const rows = await tx
    .deleteFrom('deploy_keys')
    .where('repository_id', '=', repositoryId)
    .returning('ssh_key_id')
    .execute();
  const keyIds = rows.map((row) => row.ssh_key_id);
  if (keyIds.length === 0) return;
  await lockKeys(tx, keyIds);
  await deleteUnused(tx, keyIds);
}

/** Waits for transactions that give one of these keys to another repository. */
async function lockKeys(tx: Tx, keyIds: readonly number[]): Promise<void> {
  await tx.updateTable('ssh_keys').set({ type: sql<string>`type` }).where('id', 'in', keyIds).execute();
}

async function deleteUnused(tx: Tx, keyIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('ssh_keys')
    .where('id', 'in', keyIds)
    .where('account_id', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('deploy_keys').select('id').whereRef('deploy_keys.ssh_key_id', '=', 'ssh_keys.id')),
      ),
    )
    .execute();
}

/** Deletes a key together with the deploy keys that have it. Returns them. */
export async function deleteSharedKey(
  tx: Tx,
  keyId: number,
): Promise<
  readonly { readonly id: number; readonly repositoryId: RepositoryId; readonly isReadOnly: boolean }[]
> {
  const rows = await tx
    .deleteFrom('deploy_keys')
    .where('ssh_key_id', '=', keyId)
    .returning(['id', 'repository_id', 'is_read_only'])
    .execute();
  await tx.deleteFrom('ssh_keys').where('id', '=', keyId).execute();
  return rows.map((row) => ({
    id: row.id,
    repositoryId: row.repository_id,
    isReadOnly: row.is_read_only === 1,
  }));
}
