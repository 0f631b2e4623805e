import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const issueSubscriptions: Migration = {
  name: 'issue-subscriptions',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('issue_subscriptions')
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('is_watching', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('issue_subscriptions_key', ['issue_id', 'account_id'])
      .execute();
    await db.schema
      .createIndex('issue_subscriptions_account')
      .on('issue_subscriptions')
      .column('account_id')
      .execute();
  },
};
