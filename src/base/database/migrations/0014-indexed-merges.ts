import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Change indexes get a new format, which a job builds. */
export const indexedMerges: Migration = {
  name: 'indexed merges',
  async up(db) {
    await sql`insert into jobs (kind, key, payload, run_at, created_at)
      select 'contents.index-last-commits', cast(id as text), '{"repositoryId":' || cast(id as text) || '}', 0, 0
      from repositories where true
      on conflict (kind, key) do nothing`.execute(db);
  },
};
