import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Notifications of users, with an index of the people who comment on an issue. */
export const notifications: Migration = {
  name: 'notifications',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('notification_threads')
      .addColumn('id', idType, idBuild)
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull())
      .addColumn('status', int, (c) => c.notNull())
      .addColumn('event_position', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    const lists = {
      all: ['account_id', 'status', 'repository_id', 'updated_at', 'id'],
      repository: ['account_id', 'repository_id', 'status', 'updated_at', 'id'],
    };
    for (const [name, columns] of Object.entries(lists)) {
      await db.schema
        .createIndex(`notification_threads_${name}`)
        .on('notification_threads')
        .columns(columns)
        .execute();
    }
    await db.schema
      .createIndex('notification_threads_issue')
      .on('notification_threads')
      .columns(['issue_id', 'account_id'])
      .unique()
      .execute();
    await db.schema
      .createIndex('issue_entries_people')
      .on('issue_entries')
      .columns(['issue_id', 'kind', 'author_id', 'created_at'])
      .execute();
  },
};
