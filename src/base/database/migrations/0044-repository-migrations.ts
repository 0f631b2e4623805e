import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Copies of repositories on other servers that were requested, with their progress. */
export const repositoryMigrations: Migration = {
  name: 'repository-migrations',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('repository_migrations')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('requester_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('credential', 'text', (c) => c.notNull())
      .addColumn('owner_id', int, (c) => c.notNull())
      .addColumn('owner_name', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('options', 'text', (c) => c.notNull())
      .addColumn('secrets', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('slot', int)
      .addColumn('run', 'text')
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('progress', 'text', (c) => c.notNull())
      .addColumn('worked_ms', int, (c) => c.notNull())
      .addColumn('pending_id', int)
      .addColumn('repository_id', int)
      .addColumn('failure', 'text')
      .addColumn('requested_at', int, (c) => c.notNull())
      .addColumn('begun_at', int)
      .addColumn('ended_at', int)
      .execute();
    await db.schema
      .createIndex('repository_migrations_requester')
      .on('repository_migrations')
      .columns(['requester_id', 'id'])
      .execute();
    await db.schema
      .createIndex('repository_migrations_ended')
      .on('repository_migrations')
      .columns(['ended_at'])
      .execute();
  },
};
