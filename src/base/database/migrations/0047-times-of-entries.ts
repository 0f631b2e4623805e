import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The comments of one issue in a range of time are counted and sorted in this index, without reading each of them. */
export const timesOfEntries: Migration = {
  name: 'times-of-entries',
  async up(db) {
    await db.schema.dropIndex('issue_entries_people').execute();
    await sql`create index issue_entries_people
      on issue_entries (issue_id, kind, author_id, created_at, updated_at)`.execute(db);
  },
};
