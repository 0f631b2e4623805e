import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Which issues block which others. */
export const issueDependencies: Migration = {
  name: 'issue-dependencies',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('issue_dependencies')
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('depends_on_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('issue_dependencies_key', ['issue_id', 'depends_on_id'])
      .execute();
    await db.schema
      .createIndex('issue_dependencies_blocks')
      .on('issue_dependencies')
      .columns(['depends_on_id', 'issue_id'])
      .execute();
  },
};
