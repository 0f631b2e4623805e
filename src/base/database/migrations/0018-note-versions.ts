import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const noteVersions: Migration = {
  name: 'note versions',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);

    await db.schema
      .alterTable('notes')
      .addColumn('counter', int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('notes').addColumn('written_by', text).execute();

    await db.schema
      .createTable('note_versions')
      .addColumn('note_id', int, (c) => c.notNull().references('notes.id').onDelete('cascade'))
      .addColumn('counter', int, (c) => c.notNull())
      .addColumn('commit_oid', text, (c) => c.notNull())
      .addColumn('path', text, (c) => c.notNull())
      .addColumn('oid', text, (c) => c.notNull())
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('category', text, (c) => c.notNull())
      .addColumn('written_by', text)
      .addColumn('last_update_at', int, (c) => c.notNull())
      .addColumn('toggled_favorite_of', int)
      .addColumn('replaced_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('note_versions_key', ['note_id', 'counter'])
      .execute();

    await db.schema
      .createTable('note_servings')
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('credential', text, (c) => c.notNull())
      .addColumn('notebook_id', int, (c) => c.notNull().references('notebooks.id').onDelete('cascade'))
      .addColumn('note_id', int, (c) => c.notNull())
      .addColumn('counter', int, (c) => c.notNull())
      .addColumn('since', int, (c) => c.notNull())
      .addColumn('until', int, (c) => c.notNull())
      .addColumn('served_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('note_servings_key', [
        'account_id',
        'credential',
        'notebook_id',
        'note_id',
        'counter',
        'since',
      ])
      .execute();
    await db.schema
      .createIndex('note_servings_notebook')
      .on('note_servings')
      .columns(['notebook_id', 'served_at'])
      .execute();

    await db.schema
      .createTable('note_sent')
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('credential', text, (c) => c.notNull())
      .addColumn('note_id', int, (c) => c.notNull().references('notes.id').onDelete('cascade'))
      .addColumn('counter', int, (c) => c.notNull())
      .addColumn('oid', text, (c) => c.notNull())
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('category', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('note_sent_key', ['account_id', 'credential', 'note_id'])
      .execute();
    await db.schema.createIndex('note_sent_note').on('note_sent').column('note_id').execute();
  },
};
