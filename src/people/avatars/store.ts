import { randomUUID } from 'node:crypto';
import { accountVisible } from '../../api/access/store/account.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import { uuidRows } from '../../storage/owned-files/store.ts';
import { AVATAR_FOLDER, type AvatarFile, type AvatarSubject } from './model.ts';

/** Writes the row of a picture whose bytes are about to be stored. */
export async function reserveAvatar(tx: Tx, collectAt: number): Promise<AvatarFile> {
  return tx
    .insertInto('avatars')
    .values({
      uuid: randomUUID(),
      account_id: null,
      repository_id: null,
      hash: '',
      bytes: 0,
      collect_at: collectAt,
      is_doomed: 0,
    })
    .returning(['id', 'uuid'])
    .executeTakeFirstOrThrow();
}

/** Links a picture to its subject, which has no other one. @returns false if its row is doomed or deleted */
export async function linkAvatar(
  tx: Tx,
  id: number,
  picture: { readonly subject: AvatarSubject; readonly hash: string; readonly sizeBytes: number },
): Promise<boolean> {
  const { subject, hash, sizeBytes } = picture;
  const { numUpdatedRows } = await tx
    .updateTable('avatars')
    .set({
      account_id: 'accountId' in subject ? subject.accountId : null,
      repository_id: 'repositoryId' in subject ? subject.repositoryId : null,
      hash,
      bytes: sizeBytes,
      // The file is due for deletion as soon as it is detached.
      collect_at: 0,
    })
    .where('id', '=', id)
    .where('is_doomed', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Detaches the picture of a subject. @returns whether there was one */
export async function detachAvatar(tx: Tx, subject: AvatarSubject): Promise<boolean> {
  const isOf =
    'accountId' in subject
      ? fragment`account_id = ${subject.accountId}`
      : fragment`repository_id = ${subject.repositoryId}`;
  const detached = await query(
    tx,
    fragment`update avatars set account_id = null, repository_id = null where ${isOf} returning id`,
  );
  return detached.length > 0;
}

/** A picture, and whose it is. */
export interface FoundAvatar extends AvatarFile {
  readonly isPublic: boolean;
}

/** Finds the present picture of an account that the viewer may see. */
export async function findAccountAvatar(
  db: Db,
  viewer: Viewer,
  hash: string,
): Promise<FoundAvatar | undefined> {
  const row = await queryFirst<AvatarFile & { visibility: string }>(
    db,
    fragment`select av.id, av.uuid, o.visibility from avatars av join accounts o on o.id = av.account_id
      where av.hash = ${hash} and ${accountVisible(viewer)} = 1`,
  );
  return row && { id: row.id, uuid: row.uuid, isPublic: row.visibility === 'public' };
}

/** Finds the present picture of a repository, without checking who may see it. */
export function findRepositoryAvatar(
  db: Db,
  hash: string,
): Promise<(AvatarFile & { readonly repositoryId: number }) | undefined> {
  return queryFirst(
    db,
    fragment`select av.id, av.uuid, av.repository_id as ${REPOSITORY_ID} from avatars av
      where av.hash = ${hash} and av.repository_id is not null`,
  );
}

const REPOSITORY_ID: Fragment = raw('"repositoryId"');

/** A picture is linked while it has an account or a repository. */
export const AVATAR_ROWS = uuidRows({
  jobs: { collect: 'avatars.collect', sweep: 'avatars.sweep' },
  table: raw('avatars'),
  isUnlinked: raw('account_id is null and repository_id is null'),
  folder: AVATAR_FOLDER,
});
