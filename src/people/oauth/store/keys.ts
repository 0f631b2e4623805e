import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../base/database/database.ts';
import type { OAuthKeysTable } from '../../../base/database/schema/tokens.ts';

export type KeyRow = Selectable<OAuthKeysTable>;

/** Lists the keys of which tokens may still be valid, the newest first. */
export function listKeys(db: Db, now: number): Promise<readonly KeyRow[]> {
  return db
    .selectFrom('oauth_keys')
    .selectAll()
    .where((where) => where.or([where('ends_at', 'is', null), where('ends_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute();
}

/** Adds a key that signs from now on. The earlier ones end at `endsAt`, and those that have ended are deleted. */
export async function insertKey(
  tx: Tx,
  key: Pick<KeyRow, 'kid' | 'public_jwk' | 'sealed'>,
  { now, endsAt }: { readonly now: number; readonly endsAt: number },
): Promise<void> {
  await tx.deleteFrom('oauth_keys').where('ends_at', '<=', now).execute();
  await tx.updateTable('oauth_keys').set({ ends_at: endsAt }).where('ends_at', 'is', null).execute();
  await tx
    .insertInto('oauth_keys')
    .values({ ...key, created_at: now })
    .execute();
}
