import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const commitStatuses: Migration = {
  name: 'commit statuses',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('commit_statuses')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('commit_oid', text, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('context', text, (c) => c.notNull())
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('target_url', text, (c) => c.notNull())
      .addColumn('description', text, (c) => c.notNull())
      .addColumn('creator_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('is_latest', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('commit_statuses_commit')
      .on('commit_statuses')
      .columns(['repository_id', 'commit_oid', 'number'])
      .unique()
      .execute();
    await db.schema
      .createIndex('commit_statuses_context')
      .on('commit_statuses')
      .columns(['repository_id', 'commit_oid', 'is_latest', 'context'])
      .execute();
    await db.schema
      .createIndex('commit_statuses_creator')
      .on('commit_statuses')
      .column('creator_id')
      .execute();
  },
};
