import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Releases of repositories, and their assets. */
export const releases: Migration = {
  name: 'releases',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await sql.raw(`alter table repositories add column releases_count ${int} not null default 0`).execute(db);
    await db.schema
      .createTable('releases')
      .addColumn('id', idType, idBuild)
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('author_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('tag', text, (c) => c.notNull())
      .addColumn('target', text, (c) => c.notNull())
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('body', text, (c) => c.notNull())
      .addColumn('is_draft', int, (c) => c.notNull())
      .addColumn('is_prerelease', int, (c) => c.notNull())
      .addColumn('hides_archives', int, (c) => c.notNull())
      .addColumn('zip_downloads', int, (c) => c.notNull())
      .addColumn('tar_gz_downloads', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('published_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('releases_tag')
      .on('releases')
      .columns(['repository_id', 'tag'])
      .unique()
      .execute();
    await db.schema
      .createTable('release_assets')
      .addColumn('id', idType, idBuild)
      .addColumn('uuid', text, (c) => c.notNull().unique())
      // The row stays until the file is deleted.
      .addColumn('release_id', int, (c) => c.references('releases.id').onDelete('set null'))
      .addColumn('repository_id', int)
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('external_url', text, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('sha256', text, (c) => c.notNull())
      .addColumn('bytes', int, (c) => c.notNull())
      .addColumn('downloads', int, (c) => c.notNull())
      .addColumn('collect_at', int, (c) => c.notNull())
      .addColumn('is_doomed', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('release_assets_name')
      .on('release_assets')
      .columns(['release_id', 'name'])
      .unique()
      .execute();
    for (const [table, name, columns] of INDEXES)
      await db.schema
        .createIndex(`${table}_${name}`)
        .on(table)
        .columns([...columns])
        .execute();
  },
};

const INDEXES = [
  ['releases', 'newest', ['repository_id', 'published_at', 'id']],
  ['releases', 'author', ['author_id']],
  ['release_assets', 'repository', ['repository_id']],
  ['release_assets', 'account', ['account_id']],
] as const;
