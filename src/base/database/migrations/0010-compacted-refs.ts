import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const compactedRefs: Migration = {
  name: 'compacted refs',
  async up(db, dialect) {
    await db.schema
      .alterTable('git_repositories')
      .addColumn('compacted_gen', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
