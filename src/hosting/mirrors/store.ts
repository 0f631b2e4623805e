import type { Db, Tx } from '../../base/database/database.ts';
import type { MirrorsTable } from '../../base/database/schema/mirrors.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Due } from './model.ts';

/** A row, with its credentials encrypted. */
export type MirrorRow = MirrorsTable;

export async function insertMirror(tx: Tx, row: MirrorRow): Promise<void> {
  await tx.insertInto('mirrors').values(row).execute();
}

export function findMirror(db: Db, id: RepositoryId): Promise<MirrorRow | undefined> {
  return db.selectFrom('mirrors').selectAll().where('repository_id', '=', id).executeTakeFirst();
}

/** @returns whether there was one */
export async function deleteMirror(tx: Tx, id: RepositoryId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('mirrors')
    .where('repository_id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Lists the owners of mirrors that are due. */
export async function listDueOwners(db: Db, now: number, limit: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('mirrors as m')
    .innerJoin('repositories as r', 'r.id', 'm.repository_id')
    .select('r.owner_id')
    .distinct()
    .where('m.due_at', '<=', now)
    .limit(limit)
    .execute();
  return rows.map((row) => row.owner_id);
}

/**
 * Finds the mirror of an owner that is due the longest, by its repository. `request` is the time at which it was due.
 */
export async function findDueMirror(db: Db, ownerId: number, now: number): Promise<Due | undefined> {
  const row = await db
    .selectFrom('mirrors as m')
    .innerJoin('repositories as r', 'r.id', 'm.repository_id')
    .select(['m.repository_id', 'm.due_at'])
    .where('r.owner_id', '=', ownerId)
    .where('m.due_at', '<=', now)
    .orderBy('m.due_at')
    .orderBy('m.repository_id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { id: row.repository_id, request: row.due_at ?? 0 };
}

/** Sets when a mirror is due next, unless another update was requested since this update. */
export async function setNextDue(tx: Tx, { id, request }: Due, next: number | null): Promise<void> {
  await tx
    .updateTable('mirrors')
    .set({ due_at: next })
    .where('repository_id', '=', id)
    .where('due_at', '=', request)
    .execute();
}

/** @returns whether there is such a mirror */
export async function setMirror(
  tx: Tx,
  id: RepositoryId,
  columns: Partial<Pick<MirrorRow, 'due_at' | 'failures' | 'interval_ms' | 'prunes'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mirrors')
    .set(columns)
    .where('repository_id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
