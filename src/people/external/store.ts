import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../base/database/database.ts';
import type { ExternalIdentitiesTable } from '../../base/database/schema/sign-ins.ts';
import type { ExternalUser, Identity, Newcomer } from './model.ts';

type IdentityKey = Pick<Identity, 'issuer' | 'subject'>;

export async function findIdentity(db: Db, { issuer, subject }: IdentityKey): Promise<Identity | undefined> {
  const row = await db
    .selectFrom('external_identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row && identityOf(row);
}

/** Lists the identities of an account, the oldest first. */
export async function listIdentities(db: Db, accountId: number): Promise<readonly Identity[]> {
  const rows = await db
    .selectFrom('external_identities')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  return rows.map(identityOf);
}

/** @throws a unique violation if an account has the identity; a foreign key violation if the account is gone */
export async function insertIdentity(tx: Tx, identity: Omit<Identity, 'id'>): Promise<number> {
  const { id } = await tx
    .insertInto('external_identities')
    .values({
      account_id: identity.accountId,
      issuer: identity.issuer,
      subject: identity.subject,
      name: identity.name,
      created_at: identity.createdAt,
      used_at: identity.usedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Records a sign-in. @returns whether the account still has the identity */
export async function setUsed(
  tx: Tx,
  { id, accountId }: Pick<Identity, 'id' | 'accountId'>,
  used: { readonly name: string; readonly at: number },
): Promise<boolean> {
  const row = await tx
    .updateTable('external_identities')
    .set({ name: used.name, used_at: used.at })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteIdentity(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx
    .deleteFrom('external_identities')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function findNewcomer(db: Db, digest: string, now: number): Promise<Newcomer | undefined> {
  const row = await db
    .selectFrom('external_newcomers')
    .select(['provider', 'profile', 'redirect_to'])
    .where('digest', '=', digest)
    .where('ends_at', '>', now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const user: ExternalUser = JSON.parse(row.profile);
  return { provider: row.provider, user, redirectTo: row.redirect_to };
}

/** Stores a newcomer in place of an earlier one with the same identity, and deletes those that have ended. */
export async function replaceNewcomer(
  tx: Tx,
  { provider, user, redirectTo }: Newcomer,
  { digest, now, endsAt }: { readonly digest: string; readonly now: number; readonly endsAt: number },
): Promise<void> {
  await tx.deleteFrom('external_newcomers').where('ends_at', '<=', now).execute();
  const row = { digest, provider, profile: JSON.stringify(user), redirect_to: redirectTo, ends_at: endsAt };
  await tx
    .insertInto('external_newcomers')
    .values({ issuer: user.issuer, subject: user.subject, ...row })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(row))
    .execute();
}

/** @returns whether there was the newcomer */
export async function deleteNewcomer(tx: Tx, digest: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('external_newcomers')
    .where('digest', '=', digest)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Records that a sign-in has ended, and forgets those that are too old anyway. @returns false if it had ended before */
export async function insertAnswer(
  tx: Tx,
  answer: { readonly digest: string; readonly endsAt: number },
  now: number,
): Promise<boolean> {
  await tx.deleteFrom('external_answers').where('ends_at', '<=', now).execute();
  const row = await tx
    .insertInto('external_answers')
    .values({ digest: answer.digest, ends_at: answer.endsAt })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('digest')
    .executeTakeFirst();
  return row !== undefined;
}

function identityOf(row: Selectable<ExternalIdentitiesTable>): Identity {
  return {
    id: row.id,
    accountId: row.account_id,
    issuer: row.issuer,
    subject: row.subject,
    name: row.name,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
