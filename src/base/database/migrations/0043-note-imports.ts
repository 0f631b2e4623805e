import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Which notes of other servers were imported, so that another import takes only what has changed since. */
export const noteImports: Migration = {
  name: 'note-imports',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('note_imports')
      .addColumn('id', idType, idBuild)
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('source', text, (c) => c.notNull())
      .addColumn('complete_since', int, (c) => c.notNull())
      .addColumn('cursor', text, (c) => c.notNull())
      .addUniqueConstraint('note_imports_source', ['account_id', 'source'])
      .execute();
    await db.schema
      .createTable('imported_notes')
      .addColumn('import_id', int, (c) => c.notNull().references('note_imports.id').onDelete('cascade'))
      .addColumn('remote_id', int, (c) => c.notNull())
      .addColumn('note_id', int, (c) => c.notNull())
      .addColumn('etag', text, (c) => c.notNull())
      .addColumn('path', text, (c) => c.notNull())
      .addColumn('content_hash', text, (c) => c.notNull())
      .addColumn('title_there', text, (c) => c.notNull())
      .addColumn('category_there', text, (c) => c.notNull())
      .addColumn('was_favorite', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('imported_notes_key', ['import_id', 'remote_id'])
      .execute();
  },
};
