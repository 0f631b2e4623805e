import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration runs on the schema of its time, which the app's types do not describe
type Schema = Kysely<any>;

/**
 * Labels of organizations, too, and archived ones. SQLite cannot make a column nullable, so the table is made again. The
 * labels get new ids, which is safe: no row and no response has had one of the former ids.
 */
export const labels: Migration = {
  name: 'labels',
  async up(db, dialect) {
    await sql`create table labels_before as select * from labels`.execute(db);
    await db.schema.dropTable('labels').execute();
    await createLabels(db, dialect);
    await sql`insert into labels
      (repository_id, name, color, description, is_exclusive, created_at)
      select repository_id, name, color, description, is_exclusive, created_at
      from labels_before order by id`.execute(db);
    await db.schema.dropTable('labels_before').execute();
  },
};

async function createLabels(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  const [idType, idBuild] = idColumn(dialect);
  await db.schema
    .createTable('labels')
    .addColumn('id', idType, idBuild)
    .addColumn('repository_id', int, (c) => c.references('repositories.id').onDelete('cascade'))
    .addColumn('organization_id', int, (c) => c.references('organizations.id').onDelete('cascade'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('color', text, (c) => c.notNull())
    .addColumn('description', text, (c) => c.notNull())
    .addColumn('is_exclusive', int, (c) => c.notNull().defaultTo(0))
    .addColumn('archived_at', int)
    .addColumn('issues_count', int, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', int, (c) => c.notNull())
    .addCheckConstraint('labels_home', sql`(repository_id is null) <> (organization_id is null)`)
    .execute();
  for (const home of ['repository', 'organization']) {
    await db.schema
      .createIndex(`labels_${home}`)
      .on('labels')
      .columns([`${home}_id`, 'name', 'id'])
      .execute();
  }
}
