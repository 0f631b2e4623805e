import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const archives: Migration = {
  name: 'archives',
  async up(db, dialect) {
    const number = wholeNumber(dialect);
    await db.schema
      .createTable('archives')
      .addColumn('key', bytewiseText(dialect), (c) => c.primaryKey())
      // No foreign key: the row leads to the object until that is deleted.
      .addColumn('repository_id', number, (c) => c.notNull())
      .addColumn('bytes', number, (c) => c.notNull())
      .addColumn('used_at', number, (c) => c.notNull())
      .addColumn('is_doomed', number, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('archives_repository').on('archives').column('repository_id').execute();
    await db.schema
      .createIndex('archives_use')
      .on('archives')
      .columns(['is_doomed', 'used_at', 'key', 'bytes'])
      .execute();
  },
};
