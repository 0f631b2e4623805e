import type { Db, Tx } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';

/** Reserves an id for a pending repository; no other repository ever gets it. */
export async function insertIntent(tx: Tx, now: number): Promise<RepositoryId> {
  const { id } = await tx
    .insertInto('repository_intents')
    .values({ created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** @returns whether the intent existed; if not, the pending repository was removed as abandoned */
export async function deleteIntent(tx: Tx, id: RepositoryId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('repository_intents')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function hasIntent(db: Db, id: RepositoryId): Promise<boolean> {
  const row = await db.selectFrom('repository_intents').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export async function listIntentsBefore(db: Db, before: number): Promise<readonly RepositoryId[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
