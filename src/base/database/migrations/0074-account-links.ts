import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Links by mail that sign up, invite, recover an account or prove an address; and which addresses are proved. */
export const accountLinks: Migration = {
  name: 'account-links',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .alterTable('account_emails')
      .addColumn('is_verified', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('account_links')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('digest', 'text', (c) => c.notNull().unique())
      .addColumn('seed', 'text', (c) => c.notNull())
      .addColumn('purpose', 'text', (c) => c.notNull())
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('version', int)
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('lower_email', 'text', (c) => c.notNull())
      .addColumn('name', 'text')
      .addColumn('password_hash', 'text')
      .addColumn('team_id', int, (c) => c.references('teams.id').onDelete('set null'))
      .addColumn('inviter_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'update account_emails set is_verified = 1 where is_primary = 1',
      'create unique index account_emails_verified on account_emails (lower_email) where is_verified = 1',
      'create index account_links_account on account_links (account_id, purpose)',
      'create index account_links_email on account_links (lower_email, created_at)',
      'create index account_links_end on account_links (ends_at)',
      'create index account_links_purpose on account_links (purpose, id)',
      'create index account_links_team on account_links (team_id)',
      'create index account_links_inviter on account_links (inviter_id)',
    ])
      await sql.raw(statement).execute(db);
  },
};
