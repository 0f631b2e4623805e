import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Names that site administrators give to repositories. */
export const repositoryFlags: Migration = {
  name: 'repository-flags',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('repository_flags')
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('name', bytewiseText(dialect), (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('repository_flags_key', ['repository_id', 'name'])
      .execute();
  },
};
