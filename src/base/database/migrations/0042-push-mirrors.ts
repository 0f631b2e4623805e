import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Repositories on other servers to which repositories push. */
export const pushMirrors: Migration = {
  name: 'push-mirrors',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('push_mirrors')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('name', bytewiseText(dialect), (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('credentials', 'text')
      .addColumn('branch_filter', 'text', (c) => c.notNull())
      .addColumn('interval_ms', int, (c) => c.notNull())
      .addColumn('follows_pushes', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int)
      .addColumn('error', 'text', (c) => c.notNull())
      .addColumn('failures', int, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('request', int, (c) => c.notNull())
      .addUniqueConstraint('push_mirrors_name', ['repository_id', 'name'])
      .execute();
    await db.schema.createIndex('push_mirrors_due_at').on('push_mirrors').columns(['due_at']).execute();
  },
};
