import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { OwnedKey } from '../model.ts';

interface OwnedKeyRow {
  id: number;
  account_id: number | null;
  owner_id: number | null;
  added_by: number | null;
  type: string;
  content: string;
  title: string;
  last_used_at: number | null;
}

/** Finds a key with its user, or with the title of its oldest deploy key. */
export async function findOwnedKey(
  db: Db,
  by: { readonly fingerprint: string } | { readonly keyId: number },
): Promise<OwnedKey | undefined> {
  const condition =
    'keyId' in by ? fragment`k.id = ${by.keyId}` : fragment`k.fingerprint = ${by.fingerprint}`;
  const row = await queryFirst<OwnedKeyRow>(
    db,
    fragment`select k.id, k.account_id, k.type, k.content, k.last_used_at, case when k.account_id is null
      then coalesce((select d.title from deploy_keys d where d.ssh_key_id = k.id order by d.id limit 1), '')
      else k.title end as title,
      (select r.owner_id from deploy_keys d join repositories r on r.id = d.repository_id
        where d.ssh_key_id = k.id order by d.id limit 1) as owner_id,
      (select d.added_by from deploy_keys d where d.ssh_key_id = k.id order by d.id limit 1) as added_by
      from ssh_keys k where ${condition}`,
  );
  if (row === undefined) return undefined;
  const {
    id: keyId,
    account_id: accountId,
    owner_id: repositoryOwnerId,
    added_by: addedById,
    type,
    content,
    title,
    last_used_at: lastUsedAt,
  } = row;
  return { keyId, accountId, repositoryOwnerId, addedById, type, content, title, lastUsedAt };
}

/** Finds the row that gives a deploy key access to a repository. */
export async function findDeployKeyIn(
  db: Db,
  keyId: number,
  repositoryId: RepositoryId,
): Promise<{ readonly id: number; readonly lastUsedAt: number | null } | undefined> {
  const row = await queryFirst<{ id: number; last_used_at: number | null }>(
    db,
    fragment`select d.id, d.last_used_at from deploy_keys d
      where d.ssh_key_id = ${keyId} and d.repository_id = ${repositoryId}`,
  );
  return row && { id: row.id, lastUsedAt: row.last_used_at };
}

export async function setKeyUsed(tx: Tx, keyId: number, at: number): Promise<void> {
  await tx.updateTable('ssh_keys').set({ last_used_at: at }).where('id', '=', keyId).execute();
}

export async function setDeployKeyUsed(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable('deploy_keys').set({ last_used_at: at }).where('id', '=', id).execute();
}
