import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryPage } from '../../../base/database/query.ts';
import type { AccountEmail } from '../model.ts';

interface EmailRow {
  account_id: number;
  name: string;
  email: string;
  is_primary: number;
}

const EMAILS = fragment`account_emails e join accounts a on a.id = e.account_id`;
const COLUMNS = fragment`e.account_id, a.name, e.email, e.is_primary`;

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

/** @throws a unique violation if the account has the address */
export async function insertEmail(
  tx: Tx,
  accountId: number,
  email: string,
  options: { isPrimary: boolean },
): Promise<void> {
  await tx
    .insertInto('account_emails')
    .values({
      lower_email: email.toLowerCase(),
      account_id: accountId,
      email,
      is_primary: options.isPrimary ? 1 : 0,
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
  if (email !== '') await insertEmail(tx, accountId, email, { isPrimary: true });
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
  };
}
