import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Git objects of small changes, until they are files. */
export const freshObjects: Migration = {
  name: 'fresh-objects',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('git_fresh_objects')
      .addColumn('position', idType, idBuild)
      .addColumn('repository_id', int, (c) =>
        c.notNull().references('git_repositories.id').onDelete('cascade'),
      )
      .addColumn('oid', 'text', (c) => c.notNull())
      .addColumn('bytes', dialect === 'sqlite' ? 'blob' : sql`bytea`, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('git_fresh_objects_repository_id')
      .on('git_fresh_objects')
      .columns(['repository_id', 'position'])
      .execute();
  },
};
