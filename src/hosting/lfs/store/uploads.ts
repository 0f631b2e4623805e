import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/model.ts';

/** Names an upload in parts. An account has at most one upload of an object to a repository. */
export interface UploadName {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
  readonly oid: string;
}

/** `expires_at` of an ended upload. No request continues it, and a sweep deletes its parts. */
const ENDED = 0;

/** Finds an upload that has not ended. */
export async function findUpload(db: Db, name: UploadName): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    db,
    fragment`select id from lfs_uploads where account_id = ${name.accountId}
      and repository_id = ${name.repositoryId} and oid = ${name.oid} and expires_at > ${ENDED}`,
  );
  return row?.id;
}

/** Lists the ids that are ids of uploads. */
export async function listKnownUploads(db: Db, ids: readonly number[]): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const rows = await query<{ id: number }>(
    db,
    fragment`select id from lfs_uploads where id in (${values(ids)})`,
  );
  return rows.map(({ id }) => id);
}

export function countUploads(db: Db, accountId: number): Promise<number> {
  return queryCount(db, fragment`lfs_uploads where account_id = ${accountId}`);
}

export async function insertUpload(
  tx: Tx,
  name: UploadName,
  { sizeBytes, expiresAt }: { sizeBytes: number; expiresAt: number },
): Promise<number> {
  const row = await tx
    .insertInto('lfs_uploads')
    .values({
      account_id: name.accountId,
      repository_id: name.repositoryId,
      oid: name.oid,
      bytes: sizeBytes,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** @returns whether the upload still exists, and has not ended */
export async function setUploadExpiry(tx: Tx, id: number, expiresAt: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lfs_uploads')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '>', ENDED)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @param options.before deletes the upload only if it has expired by this time */
export async function deleteUpload(tx: Tx, id: number, options: { before?: number } = {}): Promise<void> {
  const { before } = options;
  let deletion = tx.deleteFrom('lfs_uploads').where('id', '=', id);
  if (before !== undefined) deletion = deletion.where('expires_at', '<=', before);
  await deletion.execute();
}

export async function endUploadsOf(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('lfs_uploads')
    .set({ expires_at: ENDED })
    .where('account_id', '=', accountId)
    .execute();
}

/** Deletes the row of an upload that has ended, so that it can begin anew. Its parts then have no row. */
export async function deleteEndedUpload(tx: Tx, name: UploadName): Promise<void> {
  await tx
    .deleteFrom('lfs_uploads')
    .where('account_id', '=', name.accountId)
    .where('repository_id', '=', name.repositoryId)
    .where('oid', '=', name.oid)
    .where('expires_at', '=', ENDED)
    .execute();
}

export async function listExpiredUploads(db: Db, now: number, limit: number): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    fragment`select id from lfs_uploads where expires_at <= ${now} order by expires_at, id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
