import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../../database/database.ts';
import type { AccountEmail } from '../model.ts';

interface EmailRow {
  account_id: number;
  name: string;
  email: string;
  is_primary: number;
}

const EMAILS = 'from account_emails e join accounts a on a.id = e.account_id';
const COLUMNS = 'e.account_id, a.name, e.email, e.is_primary';

const ofAccount = hotQuery<EmailRow>(
  `select ${COLUMNS} ${EMAILS} where e.account_id = ? order by e.is_primary desc, e.created_at, e.lower_email`,
);

/** The primary one first. */
export async function listEmails(db: Db, accountId: number): Promise<readonly AccountEmail[]> {
  return (await ofAccount(db, [accountId])).map(emailOf);
}

const FOUND = `${EMAILS} where e.lower_email like ? escape '\\'`;
const foundPage = hotQuery<EmailRow>(`select ${COLUMNS} ${FOUND} order by e.lower_email limit ? offset ?`);
const foundCount = hotQuery<{ total: number }>(`select count(*) as total ${FOUND}`);

/** Of all accounts, those that hold `pattern` (SQL's `like`, escaped by a backslash). */
export async function searchEmails(db: Db, pattern: string, paging: Paging): Promise<Page<AccountEmail>> {
  const rows = await foundPage(db, [pattern, paging.limit, offsetOf(paging)]);
  const [count] = await foundCount(db, [pattern]);
  return { items: rows.map(emailOf), total: count?.total ?? 0 };
}

/** @throws a unique violation where somebody has the address */
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
      created_at: Date.now(),
    })
    .execute();
}

/**
 * Puts another address in the place of the primary one; '' for none.
 *
 * @throws a unique violation where somebody else has the address
 */
export async function replacePrimaryEmail(tx: Tx, accountId: number, email: string): Promise<void> {
  await tx
    .deleteFrom('account_emails')
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('is_primary', '=', 1), where('lower_email', '=', email.toLowerCase())]))
    .execute();
  if (email !== '') await insertEmail(tx, accountId, email, { isPrimary: true });
}

/** @returns whether the account had it as a further address */
export async function deleteFurtherEmail(tx: Tx, accountId: number, email: string): Promise<boolean> {
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
