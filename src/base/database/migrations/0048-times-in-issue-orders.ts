import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const INDEXES = {
  issues_comments: 'comments_count',
  issues_due_first: 'coalesce(due_at, 9007199254740991)',
  issues_due_last: 'coalesce(due_at, -1)',
};

/** A range of time is checked along the orders by comments and by due date without reading each issue. */
export const timesInIssueOrders: Migration = {
  name: 'times-in-issue-orders',
  async up(db) {
    for (const [name, key] of Object.entries(INDEXES)) {
      await db.schema.dropIndex(name).execute();
      await sql
        .raw(`create index ${name} on issues (repository_id, is_pull, is_closed, ${key}, number, updated_at)`)
        .execute(db);
    }
  },
};
