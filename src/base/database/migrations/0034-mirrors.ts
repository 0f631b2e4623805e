import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Repositories that were copied from another server, and those that follow one. */
export const mirrors: Migration = {
  name: 'mirrors',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const add = db.schema.alterTable('repositories');
    await add.addColumn('original_url', 'text', (c) => c.notNull().defaultTo('')).execute();
    await add.addColumn('mirror_interval_ms', int, (c) => c.notNull().defaultTo(0)).execute();
    await add.addColumn('mirror_updated_at', int).execute();
    await add.addColumn('mirror_error', 'text', (c) => c.notNull().defaultTo('')).execute();
    await db.schema
      .createTable('mirrors')
      .addColumn('repository_id', int, (c) =>
        c.primaryKey().references('repositories.id').onDelete('cascade'),
      )
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('credentials', 'text')
      .addColumn('has_large_files', int, (c) => c.notNull())
      .addColumn('large_files_address', 'text', (c) => c.notNull())
      .addColumn('prunes', int, (c) => c.notNull())
      .addColumn('interval_ms', int, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('failures', int, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('mirrors_due_at').on('mirrors').columns(['due_at']).execute();
  },
};
