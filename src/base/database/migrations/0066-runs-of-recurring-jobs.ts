import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** How often recurring work has run, and when last. */
export const runsOfRecurringJobs: Migration = {
  name: 'runs-of-recurring-jobs',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    for (const column of [`runs ${int} not null default 0`, `last_run_at ${int}`])
      await sql.raw(`alter table jobs add column ${column}`).execute(db);
  },
};
