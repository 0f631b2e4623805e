import type { Db, Tx } from '../database/database.ts';
import type { MirrorsTable } from '../database/schema/mirrors.ts';
import type { RepositoryId } from '../git/model.ts';

/** A row, with its credentials encrypted. */
export type MirrorRow = MirrorsTable;

export async function insertMirror(tx: Tx, row: MirrorRow): Promise<void> {
  await tx.insertInto('mirrors').values(row).execute();
}

export function findMirror(db: Db, id: RepositoryId): Promise<MirrorRow | undefined> {
  return db.selectFrom('mirrors').selectAll().where('repository_id', '=', id).executeTakeFirst();
}

/** Lists mirrors that are due, those first that are due the longest. */
export async function listDueMirrors(db: Db, now: number, limit: number): Promise<readonly MirrorRow[]> {
  return db
    .selectFrom('mirrors')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('repository_id')
    .limit(limit)
    .execute();
}

export async function setMirror(
  tx: Tx,
  id: RepositoryId,
  columns: Partial<Pick<MirrorRow, 'due_at' | 'failures' | 'interval_ms' | 'prunes'>>,
): Promise<void> {
  await tx.updateTable('mirrors').set(columns).where('repository_id', '=', id).execute();
}
