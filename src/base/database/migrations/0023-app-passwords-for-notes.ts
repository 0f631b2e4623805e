import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** A user may grant a client an app password that is only for notes. */
export const appPasswordsForNotes: Migration = {
  name: 'app passwords for notes',
  async up(db, dialect) {
    await db.schema
      .alterTable('sign_in_requests')
      .addColumn('notes_only', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
