import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { flag, fragment, values } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { FileRows, LostFile } from '../../storage/owned-files/model.ts';
import type { ArchiveFile, NewArchiveFile } from './model.ts';

/** Writes the row of an archive. @returns false if its repository is gone, or the row is doomed */
export async function upsertArchive(tx: Tx, archive: NewArchiveFile): Promise<boolean> {
  const { key, repositoryId, bytes, usedAt } = archive;
  const row = await queryFirst(
    tx,
    fragment`insert into archives (key, repository_id, bytes, used_at, is_doomed)
      select ${key}, r.id, ${bytes}, ${usedAt}, 0 from repositories r where r.id = ${repositoryId}
      on conflict (key) do update
        set bytes = excluded.bytes, used_at = excluded.used_at where archives.is_doomed = 0
      returning key`,
  );
  return row !== undefined;
}

/** Whether an archive has a row that is not doomed, and a repository. */
export async function isStored(db: Db, key: string): Promise<boolean> {
  const row = await queryFirst(
    db,
    fragment`select 1 as found from archives a join repositories r on r.id = a.repository_id
      where a.key = ${key} and a.is_doomed = 0`,
  );
  return row !== undefined;
}

/** Finds the key of an archive that is not doomed: one that begins with `start` and a dot. */
export async function findStoredKey(db: Db, start: string): Promise<string | undefined> {
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

/**
 * Archives in the object store, within a budget of bytes. Beyond the budget, the least recently used archives are lost,
 * too. An archive that is built again has the same key, and is stored after its doomed row is gone.
 */
export function archiveRows(bytesMax: number): FileRows<ArchiveFile, string> {
  return {
    jobs: { collect: 'archives.trim', sweep: 'archives.sweep' },
    isShared: true,
    keyOf: ({ key }) => key,
    renew: (tx, { key }) => setArchiveUsed(tx, key, currentTimeMs()),
    listLost: (db, _, limit) => listLost(db, { bytesMax, limit }),

    async doom(tx, { key, version }) {
      const { numUpdatedRows } = await tx
        .updateTable('archives')
        .set({ is_doomed: 1 })
        .where('key', '=', key)
        .where('used_at', '=', version)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    delete: (tx, { key }) =>
      tx.deleteFrom('archives').where('key', '=', key).where('is_doomed', '=', 1).execute(),

    strays: {
      prefixOf: () => 'archives/',
      idOf: (key) => key,
      listKnown: (db, keys) =>
        query(db, fragment`select key as id from archives where key in (${values(keys)})`),
    },
  };
}

/** Lists doomed archives, or else the least recently used ones that together exceed the budget. */
async function listLost(
  db: Db,
  { bytesMax, limit }: { bytesMax: number; limit: number },
): Promise<readonly LostFile<ArchiveFile>[]> {
  const doomed = await listOldest(db, { isDoomed: true, limit });
  if (doomed.length > 0) return doomed;
  let over = (await sumArchiveBytes(db)) - bytesMax;
  if (over <= 0) return [];
  const oldest = await listOldest(db, { isDoomed: false, limit });
  return oldest.filter(({ bytes }) => {
    over -= bytes;
    return over + bytes > 0;
  });
}

async function listOldest(db: Db, { isDoomed, limit }: { isDoomed: boolean; limit: number }) {
  const rows = await query<{ key: string; bytes: number; used_at: number }>(
    db,
    fragment`select key, bytes, used_at from archives where is_doomed = ${flag(isDoomed)}
      order by used_at, key limit ${limit}`,
  );
  return rows.map(({ key, bytes, used_at }) => ({ key, bytes, version: used_at, isDoomed }));
}

/** Returns the bytes of all archives that are not doomed. */
async function sumArchiveBytes(db: Db): Promise<number> {
  const row = await queryFirst<{ bytes: number }>(
    db,
    fragment`select cast(coalesce(sum(bytes), 0) as bigint) as bytes from archives where is_doomed = 0`,
  );
  return row?.bytes ?? 0;
}
