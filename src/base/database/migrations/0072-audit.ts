import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** The audit log. No row refers to another table: entries outlast what they are about. */
export const audit: Migration = {
  name: 'audit',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('audit_entries')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('actor_kind', 'text', (c) => c.notNull())
      .addColumn('actor_id', int)
      .addColumn('actor_name', 'text')
      .addColumn('credential', 'text')
      .addColumn('credential_id', int)
      .addColumn('administrator_id', int)
      .addColumn('administrator_name', 'text')
      .addColumn('address', 'text')
      .addColumn('request_id', 'text')
      .addColumn('target_kind', 'text', (c) => c.notNull())
      .addColumn('target_id', int)
      .addColumn('target_name', 'text')
      .addColumn('owner_id', int)
      .addColumn('repository_id', int)
      .addColumn('repository_name', 'text')
      .addColumn('account_names', 'text')
      .addColumn('details', 'text', (c) => c.notNull())
      .execute();
    for (const statement of [
      'create index audit_entries_time on audit_entries (created_at, id)',
      'create index audit_entries_actor on audit_entries (lower(actor_name), created_at, id)',
      'create index audit_entries_target on audit_entries (lower(target_name), created_at, id)',
      'create index audit_entries_action on audit_entries (action, created_at, id)',
      'create index audit_entries_owner on audit_entries (owner_id, created_at, id)',
      `create index audit_entries_sign_ins on audit_entries (actor_id, created_at)
        where action = 'sign-in.succeeded'`,
    ])
      await sql.raw(statement).execute(db);
  },
};
