import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const notes: Migration = {
  name: 'notes',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);

    await db.schema
      .createTable('note_settings')
      .addColumn('account_id', int, (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('notes_path', text, (c) => c.notNull().defaultTo('Notes'))
      .addColumn('file_suffix', text, (c) => c.notNull().defaultTo('.md'))
      .addColumn('note_mode', text, (c) => c.notNull().defaultTo('rich'))
      // No reference: the row keeps the id of a deleted repository.
      .addColumn('repository_id', int)
      .addColumn('folder', text, (c) => c.notNull().defaultTo(''))
      .addColumn('counter', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable('notebooks')
      .addColumn('id', idType, idBuild)
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('folder', text, (c) => c.notNull())
      .addColumn('indexed_commit', text)
      .addColumn('incarnation', text, (c) => c.notNull())
      .addColumn('counter', int, (c) => c.notNull().defaultTo(0))
      .addUniqueConstraint('notebooks_place', ['repository_id', 'folder'])
      .execute();

    await db.schema
      .createTable('notes')
      .addColumn('id', idType, idBuild)
      .addColumn('notebook_id', int, (c) => c.notNull().references('notebooks.id').onDelete('cascade'))
      .addColumn('path', text, (c) => c.notNull())
      .addColumn('oid', text, (c) => c.notNull())
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('category', text, (c) => c.notNull())
      .addColumn('content', text)
      .addColumn('content_hash', text, (c) => c.notNull())
      .addColumn('problem', text)
      .addColumn('modified_at', int, (c) => c.notNull())
      .addColumn('last_update_at', int, (c) => c.notNull())
      .addColumn('deleted_at', int)
      .addUniqueConstraint('notes_place', ['notebook_id', 'path'])
      .execute();
    await db.schema
      .createIndex('notes_last_update')
      .on('notes')
      .columns(['notebook_id', 'last_update_at', 'id'])
      .execute();

    await db.schema
      .createTable('note_favorites')
      .addColumn('note_id', int, (c) => c.notNull().references('notes.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('note_favorites_key', ['note_id', 'account_id'])
      .execute();
    await db.schema.createIndex('note_favorites_account').on('note_favorites').column('account_id').execute();
  },
};
