import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../base/database/database.ts';
import type { PasskeysTable } from '../../../base/database/schema/sign-ins.ts';
import type { Passkey } from '../model.ts';

export async function countPasskeys(db: Db, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('passkeys')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Lists all passkeys of an account, of which it has few, in the order in which they were added. */
export async function listPasskeys(db: Db, accountId: number): Promise<readonly Passkey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  return rows.map(passkeyOf);
}

export async function findPasskey(db: Db, credentialId: string): Promise<Passkey | undefined> {
  const row = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  return row && passkeyOf(row);
}

/** @returns its id; undefined if an account has a passkey of this authenticator already */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<Passkey, 'id' | 'lastUsedAt'>,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('passkeys')
    .values({
      account_id: passkey.accountId,
      name: passkey.name,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports.join(','),
      created_at: passkey.createdAt,
      last_used_at: null,
    })
    .onConflict((on) => on.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/**
 * Records a use of a passkey.
 *
 * @returns whether the passkey is as it was read; otherwise it was removed or used meanwhile
 */
export async function recordPasskeyUse(
  tx: Tx,
  { id, counter }: Pick<Passkey, 'id' | 'counter'>,
  used: { readonly counter: number; readonly at: number },
): Promise<boolean> {
  const row = await tx
    .updateTable('passkeys')
    .set({ counter: used.counter, last_used_at: used.at })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns its name; undefined if the account has no such passkey */
export async function deletePasskey(tx: Tx, accountId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** @returns whether there were any */
export async function deletePasskeysOf(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx.deleteFrom('passkeys').where('account_id', '=', accountId).returning('id').execute();
  return rows.length > 0;
}

/** Deletes passkeys that were added at a time or later. */
export async function deletePasskeysSince(
  tx: Tx,
  accountId: number,
  since: number,
): Promise<readonly Pick<Passkey, 'id' | 'name'>[]> {
  return tx
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning(['id', 'name'])
    .execute();
}

/** Records that a challenge was answered. @returns false if it was answered before */
export async function useChallenge(
  tx: Tx,
  digest: string,
  { now, endsAt }: { readonly now: number; readonly endsAt: number },
): Promise<boolean> {
  await tx.deleteFrom('used_challenges').where('ends_at', '<=', now).execute();
  const row = await tx
    .insertInto('used_challenges')
    .values({ digest, ends_at: endsAt })
    .onConflict((on) => on.column('digest').doNothing())
    .returning('digest')
    .executeTakeFirst();
  return row !== undefined;
}

function passkeyOf(row: Selectable<PasskeysTable>): Passkey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports === '' ? [] : row.transports.split(','),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
