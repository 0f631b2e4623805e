import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Accounts at other servers, with which users sign in here. */
export const externalSignIn: Migration = {
  name: 'external-sign-in',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('external_identities')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('used_at', int, (c) => c.notNull())
      .addUniqueConstraint('external_identities_subject', ['issuer', 'subject'])
      .execute();
    await db.schema
      .createTable('external_newcomers')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('digest', 'text', (c) => c.notNull().unique())
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('profile', 'text', (c) => c.notNull())
      .addColumn('redirect_to', 'text', (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .addUniqueConstraint('external_newcomers_subject', ['issuer', 'subject'])
      .execute();
    await db.schema
      .createTable('external_answers')
      .addColumn('digest', 'text', (c) => c.primaryKey())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'create index external_identities_account on external_identities (account_id, id)',
      'create index external_newcomers_end on external_newcomers (ends_at)',
      'create index external_answers_end on external_answers (ends_at)',
    ])
      await sql.raw(statement).execute(db);
  },
};
