import type { Db, Tx } from '../../base/database/database.ts';
import { fragment, joined } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { Oid } from '../format/model.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import type { LooseFile } from '../objects/loose-objects.ts';

/** The oldest fresh objects of a repository, up to a number of bytes. */
export interface FreshBatch {
  /** contains each object once, even if two changes have written it */
  readonly objects: readonly LooseFile[];
  /** size of all rows */
  readonly bytes: number;
  /** position of the last row */
  readonly until: number;
}

/** Limits the number of rows in one batch, whatever their size. */
const BATCH_ROWS_MAX = 2_000;

export async function insertFresh(tx: Tx, id: RepositoryId, objects: readonly LooseFile[]): Promise<void> {
  if (objects.length === 0) return;
  const rows = objects.map(({ oid, bytes }) => fragment`(${id}, ${oid}, ${bytes})`);
  await query(
    tx,
    fragment`insert into git_fresh_objects (repository_id, oid, bytes) values ${joined(rows, ', ')}`,
  );
}

/**
 * Reads the oldest rows of a repository, at least one. The row of the repository is locked while a transaction inserts,
 * so positions grow in the order of the commits.
 *
 * @param after the `until` of the previous batch; 0 for the first batch
 */
export async function readFreshBatch(
  db: Db,
  id: RepositoryId,
  { after, bytesMax }: { after: number; bytesMax: number },
): Promise<FreshBatch | undefined> {
  const until = await endOfBatch(db, id, after, bytesMax);
  if (until === undefined) return undefined;
  const rows = await query<{ oid: Oid; bytes: Uint8Array }>(
    db,
    fragment`select oid, bytes from git_fresh_objects
      where repository_id = ${id} and position > ${after} and position <= ${until} order by position`,
  );
  const objects = [...new Map(rows.map((row) => [row.oid, row])).values()];
  const bytes = rows.reduce((sum, row) => sum + row.bytes.length, 0);
  return { objects, bytes, until };
}

async function endOfBatch(db: Db, id: RepositoryId, after: number, bytesMax: number) {
  const rows = await query<{ position: number; size: number }>(
    db,
    fragment`select position, length(bytes) as size from git_fresh_objects
      where repository_id = ${id} and position > ${after} order by position limit ${BATCH_ROWS_MAX}`,
  );
  let until: number | undefined;
  let total = 0;
  for (const { position, size } of rows) {
    total += size;
    if (until !== undefined && total > bytesMax) break;
    until = position;
  }
  return until;
}

/** @returns 0 if there are no fresh objects */
export async function lastFreshPosition(db: Db, id: RepositoryId): Promise<number> {
  const row = await queryFirst<{ position: number | null }>(
    db,
    fragment`select max(position) as position from git_fresh_objects where repository_id = ${id}`,
  );
  return row?.position ?? 0;
}

/** Filters objects: returns the ids of fresh ones. */
export async function listFresh(db: Db, id: RepositoryId, oids: readonly Oid[]): Promise<readonly Oid[]> {
  if (oids.length === 0) return [];
  const wanted = joined(
    oids.map((oid) => fragment`${oid}`),
    ', ',
  );
  const rows = await query<{ oid: Oid }>(
    db,
    fragment`select distinct oid from git_fresh_objects where repository_id = ${id} and oid in (${wanted})`,
  );
  return rows.map(({ oid }) => oid);
}

export async function deleteFresh(tx: Tx, id: RepositoryId, until: number): Promise<void> {
  await query(
    tx,
    fragment`delete from git_fresh_objects where repository_id = ${id} and position <= ${until}`,
  );
}

/** Returns the first repository after `id` that has fresh objects. */
export async function nextWithFresh(db: Db, id: RepositoryId): Promise<RepositoryId | undefined> {
  const row = await queryFirst<{ repository_id: RepositoryId }>(
    db,
    fragment`select repository_id from git_fresh_objects where repository_id > ${id}
      order by repository_id limit 1`,
  );
  return row?.repository_id;
}
