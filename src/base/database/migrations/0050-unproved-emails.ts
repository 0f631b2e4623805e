import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Several accounts may claim the same e-mail address, because a claim proves nothing. Primary addresses stay unique: they are
 * columns of the accounts.
 */
export const unprovedEmails: Migration = {
  name: 'unproved-emails',
  async up(db, dialect) {
    await db.schema
      .createTable('claimed_emails')
      .addColumn('lower_email', 'text', (c) => c.notNull())
      .addColumn('account_id', wholeNumber(dialect), (c) =>
        c.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('is_primary', wholeNumber(dialect), (c) => c.notNull())
      .addColumn('created_at', wholeNumber(dialect), (c) => c.notNull())
      .addPrimaryKeyConstraint('account_emails_key', ['lower_email', 'account_id'])
      .execute();
    const columns = ['lower_email', 'account_id', 'email', 'is_primary', 'created_at'] as const;
    await db
      .insertInto('claimed_emails')
      .columns(columns)
      .expression((from) => from.selectFrom('account_emails').select(columns))
      .execute();
    await db.schema.dropTable('account_emails').execute();
    await db.schema.alterTable('claimed_emails').renameTo('account_emails').execute();
    await db.schema.createIndex('account_emails_account').on('account_emails').column('account_id').execute();
  },
};
