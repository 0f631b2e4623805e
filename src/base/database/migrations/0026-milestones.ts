import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const milestones: Migration = {
  name: 'milestones',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('milestones')
      .addColumn('id', idType, idBuild)
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('lower_title', text, (c) => c.notNull())
      .addColumn('description', text, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('closed_at', int)
      .addColumn('open_issues_count', int, (c) => c.notNull().defaultTo(0))
      .addColumn('closed_issues_count', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('milestones_repository')
      .on('milestones')
      .columns(['repository_id', 'title', 'id'])
      .execute();
  },
};
