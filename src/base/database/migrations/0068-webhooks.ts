import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Webhooks, how far each has delivered the event log, and what was delivered. */
export const webhooks: Migration = {
  name: 'webhooks',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('webhooks')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('repository_id', int, (c) => c.references('repositories.id').onDelete('cascade'))
      .addColumn('owner_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('reader_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('share_id', int, (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('http_method', 'text', (c) => c.notNull())
      .addColumn('content_type', 'text', (c) => c.notNull())
      .addColumn('config', 'text', (c) => c.notNull())
      .addColumn('events', 'text', (c) => c.notNull())
      .addColumn('branch_filter', 'text', (c) => c.notNull())
      .addColumn('secret', 'text')
      .addColumn('authorization', 'text')
      .addColumn('is_active', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('part', int, (c) => c.notNull())
      .addColumn('wakes', int, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('retry_at', int)
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('waiting_since', int)
      .addColumn('failing_since', int)
      .addColumn('stopped_at', int)
      .addColumn('last_error', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('hook_id', int, (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('uuid', 'text', (c) => c.notNull())
      .addColumn('position', int)
      .addColumn('part', int, (c) => c.notNull())
      .addColumn('ref', 'text')
      .addColumn('event', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('sent_at', int)
      .addColumn('duration_ms', int)
      .addColumn('request', 'text')
      .addColumn('response', 'text')
      .addColumn('error', 'text', (c) => c.notNull())
      .addColumn('requested_at', int)
      .addUniqueConstraint('webhook_deliveries_uuid', ['hook_id', 'uuid'])
      .execute();
    for (const statement of [
      'create index webhooks_repository on webhooks (repository_id, id)',
      'create index webhooks_owner on webhooks (owner_id, id)',
      'create index webhooks_reader on webhooks (reader_id)',
      'create index webhooks_scope on webhooks (scope, id)',
      'create index webhooks_due on webhooks (share_id, due_at)',
      'create index webhook_deliveries_hook on webhook_deliveries (hook_id, id)',
      'create index webhook_deliveries_created on webhook_deliveries (created_at)',
      `create index webhook_deliveries_requested on webhook_deliveries (hook_id, requested_at)
        where requested_at is not null`,
    ])
      await sql.raw(statement).execute(db);
  },
};
