import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Objects of git-lfs, the repositories that link them, unfinished uploads, and locks of files. */
export const largeFiles: Migration = {
  name: 'large files',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    await db.schema
      .createTable('lfs_objects')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('oid', text, (c) => c.notNull())
      .addColumn('bytes', int, (c) => c.notNull())
      .addColumn('is_stored', int, (c) => c.notNull())
      .addColumn('is_doomed', int, (c) => c.notNull())
      .addColumn('collect_at', int)
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('lfs_objects_oid')
      .on('lfs_objects')
      .column('oid')
      .unique()
      .where(sql.ref('is_doomed'), '=', sql.lit(0))
      .execute();
    await db.schema
      .createIndex('lfs_objects_collect')
      .on('lfs_objects')
      .columns(['is_doomed', 'collect_at'])
      .where(sql.ref('collect_at'), 'is not', null)
      .execute();
    await db.schema
      .createTable('lfs_links')
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      // Without an action: the row of an object never goes while a repository links it.
      .addColumn('object_id', int, (c) => c.notNull().references('lfs_objects.id'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('lfs_links_key', ['repository_id', 'object_id'])
      .execute();
    await db.schema.createIndex('lfs_links_object').on('lfs_links').column('object_id').execute();
    await db.schema
      .createTable('lfs_uploads')
      .addColumn('id', ...idColumn(dialect))
      // No foreign keys: the row leads to the parts until they are deleted.
      .addColumn('repository_id', int, (c) => c.notNull())
      .addColumn('account_id', int, (c) => c.notNull())
      .addColumn('oid', text, (c) => c.notNull())
      .addColumn('bytes', int, (c) => c.notNull())
      .addColumn('expires_at', int, (c) => c.notNull())
      .addUniqueConstraint('lfs_uploads_key', ['account_id', 'repository_id', 'oid'])
      .execute();
    await db.schema.createIndex('lfs_uploads_expiry').on('lfs_uploads').column('expires_at').execute();
    await db.schema
      .createTable('lfs_locks')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('path', text, (c) => c.notNull())
      .addColumn('owner_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addUniqueConstraint('lfs_locks_path', ['repository_id', 'path'])
      .execute();
    await db.schema.createIndex('lfs_locks_owner').on('lfs_locks').column('owner_id').execute();
  },
};
