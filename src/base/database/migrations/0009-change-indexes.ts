import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The last commits of entries move from rows to files in the repositories, which a job builds. */
export const changeIndexes: Migration = {
  name: 'change-indexes',
  async up(db) {
    await db.schema.dropTable('last_commit_folders').execute();
    await sql`insert into jobs (kind, key, payload, run_at, created_at)
      select 'contents.index-last-commits', cast(id as text), '{"repositoryId":' || cast(id as text) || '}', 0, 0
      from repositories where true
      on conflict (kind, key) do nothing`.execute(db);
  },
};
