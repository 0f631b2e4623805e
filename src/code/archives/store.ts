import { sql } from 'kysely';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { KeptArchive, NewKeptArchive } from './model.ts';

/** Writes the row of an archive. @returns false if its repository is gone */
export async function upsertArchive(tx: Tx, archive: NewKeptArchive): Promise<boolean> {
  const { key, repositoryId, bytes, usedAt } = archive;
  const row = await queryFirst(
    tx,
    fragment`insert into archives (key, repository_id, bytes, used_at, is_doomed)
      select ${key}, r.id, ${bytes}, ${usedAt}, 0 from repositories r where r.id = ${repositoryId}
      on conflict (key) do update
        set bytes = excluded.bytes, used_at = excluded.used_at, is_doomed = 0
      returning key`,
  );
  return row !== undefined;
}

/** Whether an archive has a row that is not doomed, and a repository. */
export async function isKept(db: Db, key: string): Promise<boolean> {
  const row = await queryFirst(
    db,
    fragment`select 1 as found from archives a join repositories r on r.id = a.repository_id
      where a.key = ${key} and a.is_doomed = 0`,
  );
  return row !== undefined;
}

/** Finds the key of an archive that is not doomed: one that begins with `start` and a dot. */
export async function findKeptKey(db: Db, start: string): Promise<string | undefined> {
  // A slash follows a dot.
  const [from, end] = [`${start}.`, `${start}/`];
  const row = await queryFirst<{ key: string }>(
    db,
    fragment`select key from archives where key >= ${from} and key < ${end} and is_doomed = 0
      order by key limit 1`,
  );
  return row?.key;
}

export async function setArchiveUsed(tx: Tx, key: string, at: number): Promise<void> {
  await tx.updateTable('archives').set({ used_at: at }).where('key', '=', key).execute();
}

/** Dooms an archive unless it was used since it was listed. */
export async function doomUnused(tx: Tx, { key, usedAt }: KeptArchive): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('archives')
    .set({ is_doomed: 1 })
    .where('key', '=', key)
    .where('used_at', '=', usedAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function doomArchivesOf(tx: Tx, repositoryId: RepositoryId): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('archives')
    .set({ is_doomed: 1 })
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function doomArchive(tx: Tx, key: string): Promise<void> {
  await tx.updateTable('archives').set({ is_doomed: 1 }).where('key', '=', key).execute();
}

/** Deletes the row of an archive unless it is kept again. */
export async function deleteDoomedArchive(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('archives').where('key', '=', key).where('is_doomed', '=', 1).execute();
}

export async function listDoomedKeys(db: Db, limit: number): Promise<readonly string[]> {
  const rows = await query<{ key: string }>(
    db,
    fragment`select key from archives where is_doomed = 1 order by key limit ${limit}`,
  );
  return rows.map(({ key }) => key);
}

/** Lists archives that are not doomed, the least recently used first. */
export async function listLeastUsed(db: Db, limit: number): Promise<readonly KeptArchive[]> {
  const rows = await query<{ key: string; bytes: number; used_at: number }>(
    db,
    fragment`select key, bytes, used_at from archives where is_doomed = 0 order by used_at, key limit ${limit}`,
  );
  return rows.map(({ key, bytes, used_at }) => ({ key, bytes, usedAt: used_at }));
}

/** Returns the bytes of all archives that are not doomed. */
export async function sumArchiveBytes(db: Db): Promise<number> {
  const row = await db
    .selectFrom('archives')
    .select(sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes'))
    .where('is_doomed', '=', 0)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}
