import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** One-time codes, recovery codes and passkeys of accounts. */
export const secondFactors: Migration = {
  name: 'second-factors',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .alterTable('accounts')
      .addColumn('has_second_factor', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('accounts')
      .addColumn('needs_second_factor', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('organizations')
      .addColumn('requires_second_factor', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('one_time_codes')
      .addColumn('account_id', int, (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('sealed_secret', 'text', (c) => c.notNull())
      .addColumn('confirmed_at', int)
      .addColumn('last_step', int, (c) => c.notNull().defaultTo(0))
      .addColumn('tried_count', int, (c) => c.notNull().defaultTo(0))
      .addColumn('tried_since', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('recovery_codes')
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('digest', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('recovery_codes_pk', ['account_id', 'digest'])
      .execute();
    await db.schema
      .createTable('passkeys')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('credential_id', 'text', (c) => c.notNull().unique())
      .addColumn('public_key', 'text', (c) => c.notNull())
      .addColumn('counter', int, (c) => c.notNull())
      .addColumn('transports', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('last_used_at', int)
      .execute();
    await db.schema
      .createTable('used_challenges')
      .addColumn('digest', 'text', (c) => c.primaryKey())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'create index passkeys_account on passkeys (account_id, id)',
      'create index used_challenges_end on used_challenges (ends_at)',
    ])
      await sql.raw(statement).execute(db);
  },
};
