import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const lastCommits: Migration = {
  name: 'last-commits',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('last_commit_folders')
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('folder', text, (c) => c.notNull())
      .addColumn('at_commit', text, (c) => c.notNull())
      .addColumn('entries', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('last_commit_folders_key', ['repository_id', 'folder', 'at_commit'])
      .execute();
  },
};
