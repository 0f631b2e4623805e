import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../base/database/database.ts';
import type { OneTimeCodesTable } from '../../../base/database/schema/sign-ins.ts';
import { SECOND_FACTOR_LIMITS } from '../limits.ts';
import type { SecondFactorState } from '../model.ts';
import { countPasskeys } from './passkeys.ts';

type CodesRow = Selectable<OneTimeCodesTable>;

/** One-time codes of an account, confirmed or not. */
export interface StoredCodes {
  readonly sealedSecret: string;
  readonly isConfirmed: boolean;
}

export async function findState(db: Db, accountId: number): Promise<SecondFactorState> {
  const codes = await findCodes(db, accountId);
  return {
    hasCodes: codes?.isConfirmed === true,
    passkeys: await countPasskeys(db, accountId),
    recoveryCodes: await countRecoveryCodes(db, accountId),
  };
}

export async function findCodes(db: Db, accountId: number): Promise<StoredCodes | undefined> {
  const row = await db
    .selectFrom('one_time_codes')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && codesOf(row);
}

/** Replaces the secret of an account whose one-time codes are not confirmed yet. */
export async function replacePendingCodes(
  tx: Tx,
  accountId: number,
  { sealedSecret, createdAt }: { readonly sealedSecret: string; readonly createdAt: number },
): Promise<void> {
  await deletePendingCodes(tx, accountId);
  await tx
    .insertInto('one_time_codes')
    .values({ account_id: accountId, sealed_secret: sealedSecret, confirmed_at: null, created_at: createdAt })
    .execute();
}

async function deletePendingCodes(tx: Tx, accountId: number): Promise<void> {
  await tx
    .deleteFrom('one_time_codes')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is', null)
    .execute();
}

export async function confirmCodes(
  tx: Tx,
  accountId: number,
  { step, at }: { readonly step: number; readonly at: number },
): Promise<void> {
  await tx
    .updateTable('one_time_codes')
    .set({ confirmed_at: at, last_step: step })
    .where('account_id', '=', accountId)
    .execute();
}

/**
 * Counts one more code that is tried. It counts before the code is checked, so that codes that are tried at the same time
 * all count.
 *
 * @returns undefined for an account without confirmed codes, and for one with too many tried codes
 */
export async function countTried(tx: Tx, accountId: number, now: number): Promise<StoredCodes | undefined> {
  const { codesTriedMax, codesTriedPeriodMs } = SECOND_FACTOR_LIMITS;
  const before = now - codesTriedPeriodMs;
  const row = await tx
    .updateTable('one_time_codes')
    .set({
      tried_count: sql<number>`case when tried_since <= ${before} then 1 else tried_count + 1 end`,
      tried_since: sql<number>`case when tried_since <= ${before} then cast(${now} as bigint) else tried_since end`,
    })
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .where((of) => of.or([of('tried_count', '<', codesTriedMax), of('tried_since', '<=', before)]))
    .returningAll()
    .executeTakeFirst();
  return row && codesOf(row);
}

/**
 * Records the time step of a code that was accepted.
 *
 * @returns whether the step is a new one; otherwise a code of it, or of a later one, was used before
 */
export async function useStep(tx: Tx, accountId: number, step: number): Promise<boolean> {
  const row = await tx
    .updateTable('one_time_codes')
    .set({ last_step: step, tried_count: 0 })
    .where('account_id', '=', accountId)
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether there were any */
export async function deleteCodes(tx: Tx, accountId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('one_time_codes')
    .where('account_id', '=', accountId)
    .returning('confirmed_at')
    .executeTakeFirst();
  return row !== undefined && row.confirmed_at !== null;
}

/** Deletes codes that were confirmed at a time or later, or that are not confirmed. @returns whether confirmed ones were */
export async function deleteCodesSince(tx: Tx, accountId: number, since: number): Promise<boolean> {
  await deletePendingCodes(tx, accountId);
  const row = await tx
    .deleteFrom('one_time_codes')
    .where('account_id', '=', accountId)
    .where('confirmed_at', '>=', since)
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function countRecoveryCodes(db: Db, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function replaceRecoveryCodes(
  tx: Tx,
  accountId: number,
  digests: readonly string[],
): Promise<void> {
  await deleteRecoveryCodes(tx, accountId);
  await tx
    .insertInto('recovery_codes')
    .values(digests.map((digest) => ({ account_id: accountId, digest })))
    .execute();
}

/** @returns whether the account had the code */
export async function useRecoveryCode(tx: Tx, accountId: number, digest: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('digest', '=', digest)
    .returning('digest')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteRecoveryCodes(tx: Tx, accountId: number): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
}

function codesOf(row: CodesRow): StoredCodes {
  return { sealedSecret: row.sealed_secret, isConfirmed: row.confirmed_at !== null };
}
