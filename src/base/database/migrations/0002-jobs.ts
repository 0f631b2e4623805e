import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const jobs: Migration = {
  name: 'jobs',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);

    await db.schema
      .createTable('jobs')
      .addColumn('id', idType, idBuild)
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('key', text, (c) => c.notNull())
      .addColumn('payload', text, (c) => c.notNull())
      .addColumn('run_at', int)
      .addColumn('revision', int, (c) => c.notNull().defaultTo(1))
      .addColumn('attempts', int, (c) => c.notNull().defaultTo(0))
      .addColumn('leased_until', int)
      .addColumn('leased_by', text)
      .addColumn('leased_revision', int)
      .addColumn('last_error', text)
      .addColumn('failed_at', int)
      .addColumn('created_at', int, (c) => c.notNull())
      .addUniqueConstraint('jobs_kind_key', ['kind', 'key'])
      .execute();
    await db.schema
      .createIndex('jobs_due')
      .on('jobs')
      .column('run_at')
      .where(sql.ref('run_at'), 'is not', null)
      .execute();

    await db.schema
      .createTable('event_readers')
      .addColumn('name', text, (c) => c.primaryKey())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
  },
};
