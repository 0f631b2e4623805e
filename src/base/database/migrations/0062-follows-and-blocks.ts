import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Who follows whom, and who has blocked whom. */
export const followsAndBlocks: Migration = {
  name: 'follows-and-blocks',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    for (const statement of [
      `alter table accounts add column followers_count ${int} not null default 0`,
      `alter table accounts add column following_count ${int} not null default 0`,
    ])
      await sql.raw(statement).execute(db);
    await db.schema
      .createTable('follows')
      .addColumn('follower_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('followed_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('follows_pk', ['follower_id', 'followed_id'])
      .execute();
    await db.schema
      .createTable('blocks')
      .addColumn('blocker_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('blocked_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('blocks_pk', ['blocker_id', 'blocked_id'])
      .execute();
    const indexes = [
      ['follows_follower', 'follows', ['follower_id', 'created_at']],
      ['follows_followed', 'follows', ['followed_id', 'created_at']],
      ['blocks_blocker', 'blocks', ['blocker_id', 'created_at']],
      ['blocks_blocked', 'blocks', ['blocked_id']],
    ] as const;
    for (const [name, table, columns] of indexes)
      await db.schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute();
  },
};
