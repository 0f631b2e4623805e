import { sql } from 'kysely';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { LFS_LIMITS } from '../limits.ts';
import type { LfsObject, NamedObject } from '../model.ts';

interface ObjectRow {
  id: number;
  oid: string;
  bytes: number;
  is_stored: number;
}

function objectOf(row: ObjectRow): LfsObject {
  return { id: row.id, oid: row.oid, sizeBytes: row.bytes, isStored: row.is_stored === 1 };
}

/** Lists the objects with these ids that belong to a repository and are stored. */
export async function listLinked(
  db: Db,
  repositoryId: RepositoryId,
  oids: readonly string[],
): Promise<readonly LfsObject[]> {
  if (oids.length === 0) return [];
  const rows = await query<ObjectRow>(
    db,
    fragment`select o.id, o.oid, o.bytes, o.is_stored from lfs_objects o
      join lfs_links l on l.object_id = o.id and l.repository_id = ${repositoryId}
      where o.is_doomed = 0 and o.is_stored = 1 and o.oid in (${values(oids)})`,
  );
  return rows.map(objectOf);
}

/** Filters objects: lists those that do not belong to a repository. */
export async function listMissing(
  db: Db,
  repositoryId: RepositoryId,
  objects: readonly NamedObject[],
): Promise<readonly NamedObject[]> {
  const missing: NamedObject[] = [];
  for (let at = 0; at < objects.length; at += LFS_LIMITS.lfsBatchObjectsMax) {
    const part = objects.slice(at, at + LFS_LIMITS.lfsBatchObjectsMax);
    const oids = part.map(({ oid }) => oid);
    const linked = new Set((await listLinked(db, repositoryId, oids)).map(({ oid }) => oid));
    missing.push(...part.filter(({ oid }) => !linked.has(oid)));
  }
  return missing;
}

/** Finds an object that belongs to a repository. */
export async function findLinked(
  db: Db,
  repositoryId: RepositoryId,
  oid: string,
): Promise<LfsObject | undefined> {
  const [found] = await listLinked(db, repositoryId, [oid]);
  return found;
}

/** Whether any object belongs to a repository. */
export async function hasLinks(db: Db, repositoryId: RepositoryId): Promise<boolean> {
  const row = await queryFirst(
    db,
    fragment`select 1 as found from lfs_links where repository_id = ${repositoryId} limit 1`,
  );
  return row !== undefined;
}

/** Sums the bytes of the objects that belong to a repository. */
export async function sumLinkedBytes(db: Db, repositoryId: RepositoryId): Promise<number> {
  const row = await queryFirst<{ bytes: number }>(
    db,
    fragment`select cast(coalesce(sum(o.bytes), 0) as bigint) as bytes from lfs_links l
      join lfs_objects o on o.id = l.object_id where l.repository_id = ${repositoryId}`,
  );
  return row?.bytes ?? 0;
}

/** Selects the bytes of the objects in all repositories of an owner. An object in several repositories counts once. */
export function sumOfObjects(ownerId: number): Fragment {
  return fragment`select cast(coalesce(sum(o.bytes), 0) as bigint) from lfs_objects o where o.id in (
    select l.object_id from lfs_links l join repositories r on r.id = l.repository_id where r.owner_id = ${ownerId})`;
}

/** Writes the row of an object whose bytes are about to arrive. If there is a row, postpones its collection. */
export async function reserveObject(tx: Tx, object: NamedObject, collectAt: number): Promise<LfsObject> {
  const row = await queryFirst<ObjectRow>(
    tx,
    fragment`insert into lfs_objects (oid, bytes, is_stored, is_doomed, collect_at, created_at)
      values (${object.oid}, ${object.sizeBytes}, 0, 0, ${collectAt}, ${currentTimeMs()})
      on conflict (oid) where is_doomed = 0 do update set collect_at = excluded.collect_at
      returning id, oid, bytes, is_stored`,
  );
  if (row === undefined) throw new Error(`no row was written for the object ${object.oid}`);
  return objectOf(row);
}

/** Records that the bytes of objects are stored, and locks their rows. @returns false if one is doomed or deleted */
export async function setStored(
  tx: Tx,
  objects: readonly Pick<LfsObject, 'id' | 'sizeBytes'>[],
): Promise<boolean> {
  const rows = objects.map(
    ({ id, sizeBytes }) => fragment`(cast(${id} as bigint), cast(${sizeBytes} as bigint))`,
  );
  const kept = await query(
    tx,
    fragment`with arrived (id, bytes) as (values ${joined(rows, ', ')})
      update lfs_objects set is_stored = 1, bytes = arrived.bytes, collect_at = null
      from arrived where lfs_objects.id = arrived.id and lfs_objects.is_doomed = 0 returning lfs_objects.id`,
  );
  return kept.length === objects.length;
}

/** Makes objects belong to a repository. The caller has locked their rows in the same transaction. */
export async function insertLinks(
  tx: Tx,
  { repositoryId, objectIds, at }: { repositoryId: RepositoryId; objectIds: readonly number[]; at: number },
): Promise<void> {
  if (objectIds.length === 0) return;
  await tx
    .insertInto('lfs_links')
    .values(objectIds.map((id) => ({ repository_id: repositoryId, object_id: id, created_at: at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Links all objects of one repository to another. The caller has locked the first repository, so no object is
 * collected.
 */
export async function copyAllLinks(
  tx: Tx,
  { from, to, at }: { from: RepositoryId; to: RepositoryId; at: number },
): Promise<void> {
  await tx
    .insertInto('lfs_links')
    .columns(['repository_id', 'object_id', 'created_at'])
    .expression((build) =>
      build
        .selectFrom('lfs_links')
        .select([sql<number>`${to}`.as('to'), 'object_id', sql<number>`${at}`.as('at')])
        .where('repository_id', '=', from),
    )
    .execute();
}

/**
 * Links objects of one repository to another, and locks their rows, so that no object is collected. An upload of the same
 * object may have reserved it for longer.
 */
export async function copyLinks(
  tx: Tx,
  { from, to, at, oids }: { from: RepositoryId; to: RepositoryId; at: number; oids: readonly string[] },
): Promise<void> {
  if (oids.length === 0) return;
  const kept = await tx
    .updateTable('lfs_objects')
    // A collection that is about to doom the object compares this time, so it has to change.
    .set((build) => ({
      collect_at: build
        .case()
        .when('collect_at', '>=', at)
        .then(build('collect_at', '+', 1))
        .else(at)
        .end(),
    }))
    .where('is_doomed', '=', 0)
    .where('oid', 'in', [...oids])
    .where('id', 'in', (build) =>
      build.selectFrom('lfs_links').select('object_id').where('repository_id', '=', from),
    )
    .returning('id')
    .execute();
  await insertLinks(tx, { repositoryId: to, objectIds: kept.map(({ id }) => id), at });
}

/** Makes the objects of a repository that is about to be deleted due for a check. @returns whether it has any */
export async function releaseLinks(tx: Tx, repositoryId: RepositoryId, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lfs_objects')
    // An upload of the same object may have reserved it for longer.
    .set((build) => ({
      collect_at: build.case().when('collect_at', '>', at).then(build.ref('collect_at')).else(at).end(),
    }))
    .where('is_doomed', '=', 0)
    .where('id', 'in', (build) =>
      build.selectFrom('lfs_links').select('object_id').where('repository_id', '=', repositoryId),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lists objects that belong to a repository, by their ids. */
export async function listStoredAfter(db: Db, id: number, limit: number): Promise<readonly LfsObject[]> {
  const rows = await query<ObjectRow>(
    db,
    fragment`select id, oid, bytes, is_stored from lfs_objects o where o.id > ${id} and o.is_doomed = 0
      and exists (select 1 from lfs_links l where l.object_id = o.id) order by o.id limit ${limit}`,
  );
  return rows.map(objectOf);
}
