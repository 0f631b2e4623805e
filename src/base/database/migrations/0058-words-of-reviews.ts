import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The words of submitted reviews are in the index of the words of comments, by the ids of their entries. Comments on lines
 * have an index of their own, because only viewers who may read the code may find them. A job indexes the texts of each
 * repository that has reviews: it is the one that indexes the texts of an import.
 */
export const wordsOfReviews: Migration = {
  name: 'words-of-reviews',
  async up(db, dialect) {
    const statements = [...(dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES), ...ON_BOTH];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const ON_SQLITE = [
  'drop trigger issue_entries_texts_gone',
  `create trigger issue_entries_texts_gone after delete on issue_entries when old.kind in ('comment', 'review') begin
    delete from comment_texts where rowid = old.id;
  end`,
  `create virtual table line_texts using fts5
    (repository, body, tokenize = 'ascii', prefix = '3', content = '', contentless_delete = 1)`,
  `create trigger pull_review_comments_texts_gone after delete on pull_review_comments begin
    delete from line_texts where rowid = old.id;
  end`,
];

const ON_POSTGRES = [
  `create table line_texts (
    id bigint primary key references pull_review_comments (id) on delete cascade,
    repository_id bigint not null,
    words tsvector not null
  )`,
  'create index line_texts_index on line_texts using gin (words)',
];

const ON_BOTH = [
  'create index pull_reviews_repository on pull_reviews (repository_id, id)',
  `insert into jobs (kind, key, payload, run_at, created_at)
    select 'issues.finish-import', cast(id as text), '{"repositoryId":' || id || '}', 0, 0 from repositories
    where id in (select repository_id from pull_reviews where entry_id is not null) on conflict do nothing`,
];
