import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** SSH keys of users, and deploy keys of repositories. */
export const sshKeys: Migration = {
  name: 'ssh keys',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('ssh_keys')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('fingerprint', text, (c) => c.notNull().unique())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('content', text, (c) => c.notNull())
      .addColumn('comment', text, (c) => c.notNull())
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('last_used_at', int)
      .execute();
    await db.schema
      .createIndex('ssh_keys_title')
      .on('ssh_keys')
      .columns(['account_id', 'title'])
      .unique()
      .where(sql.ref('account_id'), 'is not', null)
      .execute();
    await db.schema
      .createTable('deploy_keys')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('ssh_key_id', int, (c) => c.notNull().references('ssh_keys.id'))
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('is_read_only', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('last_used_at', int)
      .addUniqueConstraint('deploy_keys_key', ['repository_id', 'ssh_key_id'])
      .addUniqueConstraint('deploy_keys_title', ['repository_id', 'title'])
      .execute();
    await db.schema.createIndex('deploy_keys_of').on('deploy_keys').column('ssh_key_id').execute();
  },
};
