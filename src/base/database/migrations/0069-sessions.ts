import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Browsers that have signed in. */
export const sessions: Migration = {
  name: 'sessions',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('sessions')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('version', int, (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull().unique())
      .addColumn('is_remembered', int, (c) => c.notNull())
      .addColumn('proofs', 'text', (c) => c.notNull())
      .addColumn('user_agent', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('proved_at', int, (c) => c.notNull())
      .addColumn('seen_at', int, (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'create index sessions_account on sessions (account_id, id)',
      'create index sessions_end on sessions (ends_at)',
    ])
      await sql.raw(statement).execute(db);
  },
};
