import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { AccountEmail } from '../model.ts';

interface EmailRow {
  account_id: number;
  name: string;
  email: string;
  is_primary: number;
  is_verified: number;
}

const EMAILS = fragment`account_emails e join accounts a on a.id = e.account_id`;
const COLUMNS = fragment`e.account_id, a.name, e.email, e.is_primary, e.is_verified`;

/** Lists the addresses of an account, the primary one first. */
export async function listEmails(db: Db, accountId: number): Promise<readonly AccountEmail[]> {
  const rows = await query<EmailRow>(
    db,
    fragment`select ${COLUMNS} from ${EMAILS} where e.account_id = ${accountId}
      order by e.is_primary desc, e.created_at, e.lower_email`,
  );
  return rows.map(emailOf);
}

/** Lists the addresses that match `pattern` (SQL's `like`, with backslash as escape character), of all accounts. */
export async function searchEmails(db: Db, pattern: string, paging: Paging): Promise<Page<AccountEmail>> {
  const found = {
    select: COLUMNS,
    from: fragment`${EMAILS} where e.lower_email like ${pattern} escape '\\'`,
    orderBy: fragment`e.lower_email, e.account_id`,
  };
  return queryPage(db, found, paging, emailOf);
}

/** @throws a unique violation if the account has the address, or another account has verified it */
export async function insertEmail(
  tx: Tx,
  accountId: number,
  email: string,
  options: { isPrimary: boolean; isVerified: boolean },
): Promise<void> {
  await tx
    .insertInto('account_emails')
    .values({
      lower_email: email.toLowerCase(),
      account_id: accountId,
      email,
      is_primary: options.isPrimary ? 1 : 0,
      is_verified: options.isVerified ? 1 : 0,
      created_at: currentTimeMs(),
    })
    .execute();
}

/**
 * Replaces the primary address; '' removes it.
 */
export async function replacePrimaryEmail(tx: Tx, accountId: number, email: string): Promise<void> {
  await tx
    .deleteFrom('account_emails')
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('is_primary', '=', 1), where('lower_email', '=', email.toLowerCase())]))
    .execute();
  if (email !== '') await insertEmail(tx, accountId, email, { isPrimary: true, isVerified: true });
}

/** Finds the account to which an address belongs: it is its primary address, or a verified one. */
export async function findEmailOwner(
  db: Db,
  email: string,
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  return queryFirst<{ id: number; name: string }>(
    db,
    fragment`select a.id, a.name from account_emails e join accounts a on a.id = e.account_id
      where e.lower_email = ${email.toLowerCase()} and (e.is_verified = 1 or e.is_primary = 1) limit 1`,
  );
}

/**
 * Records that an account has proved an address.
 *
 * @returns false if it does not have the address
 * @throws a unique violation if another account has verified it
 */
export async function setEmailVerified(tx: Tx, accountId: number, email: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('account_emails')
    .set({ is_verified: 1 })
    .where('account_id', '=', accountId)
    .where('lower_email', '=', email.toLowerCase())
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes another verified address the primary one. @returns it as it is written; undefined without such an address */
export async function movePrimaryEmail(
  tx: Tx,
  accountId: number,
  email: string,
): Promise<string | undefined> {
  await tx
    .updateTable('account_emails')
    .set({ is_primary: 0 })
    .where('account_id', '=', accountId)
    .where('is_primary', '=', 1)
    .execute();
  const row = await tx
    .updateTable('account_emails')
    .set({ is_primary: 1 })
    .where('account_id', '=', accountId)
    .where('lower_email', '=', email.toLowerCase())
    .where('is_verified', '=', 1)
    .returning('email')
    .executeTakeFirst();
  return row?.email;
}

/** @returns whether the account had the address as an additional one */
export async function deleteAdditionalEmail(tx: Tx, accountId: number, email: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('account_emails')
    .where('account_id', '=', accountId)
    .where('lower_email', '=', email.toLowerCase())
    .where('is_primary', '=', 0)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function emailOf(row: EmailRow): AccountEmail {
  return {
    accountId: row.account_id,
    accountName: row.name,
    email: row.email,
    isPrimary: row.is_primary === 1,
    isVerified: row.is_verified === 1,
  };
}
