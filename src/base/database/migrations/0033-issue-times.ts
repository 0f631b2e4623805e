import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Time that users worked on issues, and the stopwatches that are running. */
export const issueTimes: Migration = {
  name: 'issue-times',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('issue_times')
      .addColumn('id', idType, idBuild)
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull())
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('seconds', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    for (const column of ['issue_id', 'repository_id', 'account_id'] as const) {
      await db.schema
        .createIndex(`issue_times_${column}`)
        .on('issue_times')
        .columns([column, 'id'])
        .execute();
    }
    await db.schema
      .createTable('issue_stopwatches')
      .addColumn('account_id', int, (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('started_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('issue_stopwatches_issue_id')
      .on('issue_stopwatches')
      .columns(['issue_id'])
      .execute();
  },
};
