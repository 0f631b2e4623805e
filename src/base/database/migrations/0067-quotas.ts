import { sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Quotas by groups and rules, and the bytes of the git objects of each repository, without its large files. */
export const quotas: Migration = {
  name: 'quotas',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await sql.raw(`alter table repositories add column git_bytes ${int} not null default 0`).execute(db);
    const largeFiles = `coalesce((select sum(o.bytes) from lfs_links l join lfs_objects o on o.id = l.object_id
      where l.repository_id = repositories.id), 0)`;
    await sql
      .raw(
        `update repositories set git_bytes = case when size_bytes - wiki_bytes > ${largeFiles}
          then size_bytes - wiki_bytes - ${largeFiles} else 0 end where size_bytes > 0`,
      )
      .execute(db);
    await createRules(db, dialect);
    await db.schema
      .createTable('quota_members')
      .addColumn('group_id', int, (c) => c.notNull().references('quota_groups.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('quota_members_key', ['group_id', 'account_id'])
      .execute();
    await db.schema
      .createIndex('quota_members_account')
      .on('quota_members')
      .columns(['account_id', 'group_id'])
      .execute();
  },
};

async function createRules(db: Parameters<Migration['up']>[0], dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  await db.schema
    .createTable('quota_rules')
    .addColumn('id', ...idColumn(dialect))
    .addColumn('name', bytewiseText(dialect), (c) => c.notNull().unique())
    .addColumn('bytes_max', int, (c) => c.notNull())
    .addColumn('subjects', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('quota_groups')
    .addColumn('id', ...idColumn(dialect))
    .addColumn('name', bytewiseText(dialect), (c) => c.notNull().unique())
    .execute();
  await db.schema
    .createTable('quota_group_rules')
    .addColumn('group_id', int, (c) => c.notNull().references('quota_groups.id').onDelete('cascade'))
    .addColumn('rule_id', int, (c) => c.notNull().references('quota_rules.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('quota_group_rules_key', ['group_id', 'rule_id'])
    .execute();
  await db.schema
    .createIndex('quota_group_rules_rule')
    .on('quota_group_rules')
    .columns(['rule_id'])
    .execute();
}
