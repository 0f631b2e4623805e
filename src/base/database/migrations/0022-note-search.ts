import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * The words of notes. The program cuts texts into words, so both databases find the same. `note_search_states` says up to
 * which change the words of a notebook are current; a search brings them up to date first.
 */
export const noteSearch: Migration = {
  name: 'note search',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createIndex('notes_counter')
      .on('notes')
      .columns(['notebook_id', 'counter', 'id'])
      .execute();
    await db.schema
      .createTable('note_search_states')
      .addColumn('notebook_id', int, (c) => c.primaryKey().references('notebooks.id').onDelete('cascade'))
      .addColumn('counter', int, (c) => c.notNull())
      .addColumn('note_id', int, (c) => c.notNull())
      .execute();
    const statements = dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES;
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

// The tokenizer separates words at ASCII characters that are neither letters nor digits, and changes no others.
const ON_SQLITE = [
  `create virtual table note_words using fts5 (title, category, content, tokenize = 'ascii', content = '',
    contentless_delete = 1)`,
  `create trigger notes_words_deleted after update of deleted_at on notes when new.deleted_at is not null begin
    delete from note_words where rowid = new.id;
  end`,
  `create trigger notes_words_gone after delete on notes begin
    delete from note_words where rowid = old.id;
  end`,
];

const ON_POSTGRES = [
  `create table note_words (
    note_id bigint primary key references notes (id) on delete cascade,
    words tsvector not null
  )`,
  'create index note_words_index on note_words using gin (words)',
];
