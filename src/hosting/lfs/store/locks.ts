import type { Slice } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { FileLock, LockFilter } from '../model.ts';

interface LockRow {
  id: number;
  path: string;
  created_at: number;
  owner_id: number;
  owner_name: string;
}

function lockOf(row: LockRow): FileLock {
  return {
    id: row.id,
    path: row.path,
    owner: { id: row.owner_id, name: row.owner_name },
    lockedAt: row.created_at,
  };
}

function selectLocks(condition: Fragment): Fragment {
  return fragment`select l.id, l.path, l.created_at, l.owner_id, a.name as owner_name from lfs_locks l
    join accounts a on a.id = l.owner_id where ${condition}`;
}

export async function listLocks(
  db: Db,
  repositoryId: RepositoryId,
  { id, path }: LockFilter,
  { limit, offset }: Slice,
): Promise<readonly FileLock[]> {
  const byId = id === undefined ? fragment`` : fragment` and l.id = ${id}`;
  const byPath = path === undefined ? fragment`` : fragment` and l.path = ${path}`;
  const locks = selectLocks(fragment`l.repository_id = ${repositoryId}${byId}${byPath}`);
  const rows = await query<LockRow>(db, fragment`${locks} order by l.id limit ${limit} offset ${offset}`);
  return rows.map(lockOf);
}

export async function findLock(
  db: Db,
  repositoryId: RepositoryId,
  by: LockFilter,
): Promise<FileLock | undefined> {
  const [lock] = await listLocks(db, repositoryId, by, { limit: 1, offset: 0 });
  return lock;
}

export function countLocks(db: Db, repositoryId: RepositoryId): Promise<number> {
  return queryCount(db, fragment`lfs_locks where repository_id = ${repositoryId}`);
}

/** Inserts a lock. The caller holds the lock of the repository's row, and the path has none. */
export async function insertLock(
  tx: Tx,
  lock: { repositoryId: RepositoryId; path: string; ownerId: number; at: number },
): Promise<FileLock> {
  const { id } = await tx
    .insertInto('lfs_locks')
    .values({
      repository_id: lock.repositoryId,
      path: lock.path,
      owner_id: lock.ownerId,
      created_at: lock.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const row = await queryFirst<LockRow>(tx, selectLocks(fragment`l.id = ${id}`));
  if (row === undefined) throw new Error(`the lock ${id} was not written`);
  return lockOf(row);
}

export async function deleteLock(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('lfs_locks').where('id', '=', id).execute();
}
