import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Lists of pull requests may begin with the one that was closed last. Open ones, which have no such time, come last. */
export const orderOfClosing: Migration = {
  name: 'order-of-closing',
  async up(db) {
    await sql
      .raw(`create index issues_closed
        on issues (repository_id, is_pull, is_closed, coalesce(closed_at, -1), number, updated_at)`)
      .execute(db);
  },
};
