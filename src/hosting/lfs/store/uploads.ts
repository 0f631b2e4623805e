import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { FileRows } from '../../../storage/owned-files/model.ts';
import type { UnfinishedUploads } from '../../quota/model.ts';
import { folderOfParts, PARTS } from '../model.ts';

/** Names an upload in parts. An account has at most one upload of an object to a repository. */
export interface UploadName {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
  readonly oid: string;
}

/** `expires_at` of an ended upload. No request continues it, and a sweep deletes its parts. */
const ENDED = 0;

/** Finds an upload that has not ended. */
export async function findUpload(
  db: Db,
  name: UploadName,
): Promise<{ readonly id: number; readonly sizeBytes: number } | undefined> {
  const row = await queryFirst<{ id: number; bytes: number }>(
    db,
    fragment`select id, bytes from lfs_uploads where account_id = ${name.accountId}
      and repository_id = ${name.repositoryId} and oid = ${name.oid} and expires_at > ${ENDED}`,
  );
  return row && { id: row.id, sizeBytes: row.bytes };
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

/** Ends an upload: no request continues it. */
export async function endUpload(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`update lfs_uploads set expires_at = ${ENDED} where id = ${id}`);
}

/** Selects the bytes of unfinished uploads to the repositories of an owner. */
export function sumOfUploads(ownerId: number, without: UnfinishedUploads | undefined): Fragment {
  const others =
    without === undefined || without.names.length === 0
      ? fragment``
      : fragment` and not (u.account_id = ${without.accountId} and u.repository_id = ${without.repositoryId}
          and u.oid in (${values(without.names)}))`;
  return fragment`select cast(coalesce(sum(u.bytes), 0) as bigint) from lfs_uploads u
    join repositories r on r.id = u.repository_id where r.owner_id = ${ownerId}${others}`;
}

/** As `endUpload`, by its name. @returns whether there is such an upload */
export async function endUploadNamed(tx: Tx, name: UploadName): Promise<boolean> {
  const ended = await query(
    tx,
    fragment`update lfs_uploads set expires_at = ${ENDED} where account_id = ${name.accountId}
      and repository_id = ${name.repositoryId} and oid = ${name.oid} returning id`,
  );
  return ended.length > 0;
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

/** Parts of uploads. The row of an upload owns all of them. */
export const UPLOAD_ROWS: FileRows<{ readonly id: number }> = {
  jobs: { collect: 'lfs-uploads.collect', sweep: 'lfs-uploads.sweep' },
  isShared: true,
  keyOf: ({ id }) => folderOfParts(id),
  renew: (tx, { id }, until) => setUploadExpiry(tx, id, until),

  async listLost(db, now, limit) {
    const rows = await query<{ id: number; expires_at: number }>(
      db,
      fragment`select id, expires_at from lfs_uploads where expires_at <= ${now}
        order by expires_at, id limit ${limit}`,
    );
    return rows.map((row) => ({ id: row.id, version: row.expires_at, isDoomed: row.expires_at === ENDED }));
  },

  async doom(tx, { id, version }) {
    const doomed = await query(
      tx,
      fragment`update lfs_uploads set expires_at = ${ENDED} where id = ${id} and expires_at = ${version} returning id`,
    );
    return doomed.length > 0;
  },

  delete: (tx, { id }) =>
    query(tx, fragment`delete from lfs_uploads where id = ${id} and expires_at = ${ENDED}`),

  strays: {
    prefixOf: () => PARTS,
    // `lfs-parts/ID/OFFSET`
    idOf: (key) => Number(key.split('/')[1]),
    listKnown: (db, ids) => query(db, fragment`select id from lfs_uploads where id in (${values(ids)})`),
  },
};
