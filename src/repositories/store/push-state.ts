import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';

/** Locks a repository until the transaction ends. @returns whether it exists */
export async function lockRepository(tx: Tx, id: RepositoryId): Promise<boolean> {
  return (await lockWriteState(tx, id)) !== undefined;
}

export interface WriteState {
  readonly archivedAt: number | null;
  readonly isMirror: boolean;
  readonly isEmpty: boolean;
}

/** Reads and locks the columns that decide whether refs may move. */
export async function lockWriteState(tx: Tx, id: RepositoryId): Promise<WriteState | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set({ updated_at: sql<number>`updated_at` })
    .where('id', '=', id)
    .returning(['archived_at', 'is_mirror', 'is_empty'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { archivedAt: row.archived_at, isMirror: row.is_mirror === 1, isEmpty: row.is_empty === 1 };
}

export async function setPushed(
  tx: Tx,
  id: RepositoryId,
  pushed: { at: number; isEmpty: boolean },
): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ updated_at: pushed.at, is_empty: pushed.isEmpty ? 1 : 0 })
    .where('id', '=', id)
    .execute();
}

/**
 * @param bytes of its git objects and its large files
 * @returns the old size; undefined for a missing repository
 */
export async function setSizeBytes(tx: Tx, id: RepositoryId, bytes: number): Promise<number | undefined> {
  const before = await tx
    .selectFrom('repositories')
    .select('size_bytes')
    .where('id', '=', id)
    .executeTakeFirst();
  await tx.updateTable('repositories').set({ size_bytes: bytes }).where('id', '=', id).execute();
  return before?.size_bytes;
}

export async function hasBranches(tx: Tx, id: RepositoryId): Promise<boolean> {
  const row = await tx
    .selectFrom('git_refs')
    .select('name')
    .where('repository_id', '=', id)
    .where('name', '>=', 'refs/heads/')
    .where('name', '<', 'refs/heads0')
    .where('oid', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
