import { sql } from 'kysely';
import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * The words of issues and of their comments, and which texts and commits refer to which issues. `home` has a word that
 * stands for the repository, and `heading` the words of the title once more, in another form. Orders by due date get
 * indexes.
 */
export const issueTexts: Migration = {
  name: 'issue texts',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('issue_references')
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('source', bytewiseText(dialect), (c) => c.notNull())
      .addPrimaryKeyConstraint('issue_references_key', ['issue_id', 'source'])
      .execute();
    const statements = dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES;
    for (const statement of [...DUE_DATES, ...statements]) await sql.raw(statement).execute(db);
  },
};

/** Issues without a due date come last in both orders. */
const DUE_DATES = [
  'drop index issues_due',
  `create index issues_due_first on issues
    (repository_id, is_pull, is_closed, coalesce(due_at, 9007199254740991), number)`,
  `create index issues_due_last on issues (repository_id, is_pull, is_closed, coalesce(due_at, -1), number)`,
];

// The tokenizer separates words at ASCII characters that are neither letters nor digits, and changes no others.
const OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`;
const ON_SQLITE = [
  `create virtual table issue_words using fts5 (home, heading, title, body, ${OPTIONS})`,
  `create virtual table comment_words using fts5 (home, body, ${OPTIONS})`,
  `create trigger issues_words_gone after delete on issues begin
    delete from issue_words where rowid = old.id;
  end`,
  `create trigger issue_entries_words_gone after delete on issue_entries when old.kind = 'comment' begin
    delete from comment_words where rowid = old.id;
  end`,
];

const ON_POSTGRES = [
  `create table issue_words (
    rowid bigint primary key references issues (id) on delete cascade,
    words tsvector not null
  )`,
  'create index issue_words_index on issue_words using gin (words)',
  `create table comment_words (
    rowid bigint primary key references issue_entries (id) on delete cascade,
    words tsvector not null
  )`,
  'create index comment_words_index on comment_words using gin (words)',
];
