import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';

/** Reads the encrypted private keys of the server, by type. */
export async function listHostKeys(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('ssh_host_keys').select(['type', 'sealed_key']).execute();
  return new Map(rows.map((row) => [row.type, row.sealed_key]));
}

/** Inserts a key unless another process has inserted one of this type. */
export async function insertHostKey(tx: Tx, type: string, sealedKey: string): Promise<void> {
  await tx
    .insertInto('ssh_host_keys')
    .values({ type, sealed_key: sealedKey, created_at: currentTimeMs() })
    .onConflict((conflict) => conflict.column('type').doNothing())
    .execute();
}
