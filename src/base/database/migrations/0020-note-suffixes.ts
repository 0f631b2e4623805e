import { bytewiseText } from './columns.ts';
import type { Migration } from './migration.ts';

export const noteSuffixes: Migration = {
  name: 'note suffixes',
  async up(db, dialect) {
    const text = bytewiseText(dialect);
    await db.schema
      .alterTable('notebooks')
      .addColumn('suffixes', text, (c) => c.notNull().defaultTo(''))
      .execute();
  },
};
