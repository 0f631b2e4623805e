import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const languageMeasurements: Migration = {
  name: 'language measurements',
  async up(db, dialect) {
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('language_measurements')
      .addColumn('repository_id', wholeNumber(dialect), (c) =>
        c.primaryKey().references('repositories.id').onDelete('cascade'),
      )
      .addColumn('tree', text)
      .addColumn('rules', text, (c) => c.notNull())
      .execute();
  },
};
