import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Pictures that accounts and repositories have uploaded. */
export const avatars: Migration = {
  name: 'avatars',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    for (const table of ['accounts', 'repositories'])
      await sql.raw(`alter table ${table} add column avatar text not null default ''`).execute(db);
    await db.schema
      .createTable('avatars')
      .addColumn('id', idType, idBuild)
      .addColumn('uuid', text, (c) => c.notNull().unique())
      // The row stays until the file is deleted.
      .addColumn('account_id', int, (c) => c.unique().references('accounts.id').onDelete('set null'))
      .addColumn('repository_id', int, (c) => c.unique().references('repositories.id').onDelete('set null'))
      .addColumn('hash', text, (c) => c.notNull())
      .addColumn('bytes', int, (c) => c.notNull())
      .addColumn('collect_at', int, (c) => c.notNull())
      .addColumn('is_doomed', int, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('avatars_hash').on('avatars').column('hash').execute();
  },
};
