import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Who is to be mailed that the server has stopped a webhook. */
export const stoppedWebhooks: Migration = {
  name: 'stopped-webhooks',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('webhook_stop_notices')
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('hook_id', int, (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('stopped_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('webhook_stop_notices_key', ['account_id', 'hook_id'])
      .execute();
    await sql.raw('create index webhook_stop_notices_hook on webhook_stop_notices (hook_id)').execute(db);
  },
};
