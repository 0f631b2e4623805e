import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const signInRequests: Migration = {
  name: 'sign-in requests',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('sign_in_requests')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('poll_digest', text, (c) => c.notNull().unique())
      .addColumn('page_digest', text, (c) => c.notNull().unique())
      .addColumn('client', text, (c) => c.notNull())
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('device', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('sign_in_requests_created')
      .on('sign_in_requests')
      .column('created_at')
      .execute();
    await db.schema
      .createIndex('sign_in_requests_account')
      .on('sign_in_requests')
      .column('account_id')
      .execute();
  },
};
