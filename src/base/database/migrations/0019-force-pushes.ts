import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Protections of branches say who may push by force. */
export const forcePushes: Migration = {
  name: 'force pushes',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    for (const column of ['allows_force_push', 'limits_force_push'])
      await db.schema
        .alterTable('protections')
        .addColumn(column, int, (c) => c.notNull().defaultTo(0))
        .execute();
  },
};
