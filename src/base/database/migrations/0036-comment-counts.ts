import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** The number of comments in each repository, so that lists of them need not count. */
export const commentCounts: Migration = {
  name: 'comment-counts',
  async up(db, dialect) {
    await db.schema
      .alterTable('repositories')
      .addColumn('comments_count', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
      .execute();
    await sql
      .raw(`update repositories set comments_count = (
        select coalesce(sum(i.comments_count), 0) from issues i where i.repository_id = repositories.id)
        where id in (select repository_id from issues)`)
      .execute(db);
  },
};
