import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** When tokens expire, and when they were last used. */
export const endsOfTokens: Migration = {
  name: 'ends-of-tokens',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema.alterTable('tokens').addColumn('expires_at', int).execute();
    await db.schema.alterTable('tokens').addColumn('last_used_at', int).execute();
    await db.schema.alterTable('tokens').addColumn('announced_days', int).execute();
    await sql.raw('create index tokens_end on tokens (expires_at) where expires_at is not null').execute(db);
  },
};
