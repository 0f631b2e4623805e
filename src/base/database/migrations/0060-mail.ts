import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Which users want their notifications by mail, and what is to be mailed to them. */
export const mail: Migration = {
  name: 'mail',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('mail_preferences')
      .addColumn('account_id', int, (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('level', 'text', (c) => c.notNull())
      .addColumn('next_at', int, (c) => c.notNull().defaultTo(0))
      .addColumn('failures', int, (c) => c.notNull().defaultTo(0))
      .addColumn('hour_began_at', int, (c) => c.notNull().defaultTo(0))
      .addColumn('sent_in_hour', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('mail_notices')
      .addColumn('id', idType, idBuild)
      .addColumn('account_id', int, (c) =>
        c.notNull().references('mail_preferences.account_id').onDelete('cascade'),
      )
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('event_position', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'create unique index mail_notices_account on mail_notices (account_id, event_position)',
      'create index mail_notices_issue on mail_notices (issue_id)',
    ])
      await sql.raw(statement).execute(db);
  },
};
