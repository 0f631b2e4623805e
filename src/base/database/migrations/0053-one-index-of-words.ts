import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const LINKS = ['issue_labels', 'issue_assignees', 'issue_mentions'];

/**
 * The links of issues have one index for all orders, which contains every column that a list reads.
 *
 * On SQLite, issues have one index of words instead of two, and so have comments. A row id is the id of the text, and a
 * word of each text stands for its repository, as on PostgreSQL. Jobs index the texts again, because a million would
 * delay the start of the server by minutes. The jobs are the ones that index the texts of an import.
 */
export const oneIndexOfWords: Migration = {
  name: 'one-index-of-words',
  async up(db, dialect) {
    const statements = [...LINKS.flatMap(oneOrder), ...(dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES)];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

function oneOrder(table: string): readonly string[] {
  return [
    ...['number', 'updated', 'comments', 'due_first', 'due_last'].map(
      (order) => `drop index ${table}_${order}`,
    ),
    `create index ${table}_repository on ${table}
      (repository_id, subject_id, is_pull, is_closed, issue_id, updated_at, comments_count, due_at)`,
  ];
}

const OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`;

/** A search of a repository finds its texts by the word that stands for it. */
const ON_POSTGRES = ['drop index issue_texts_repository', 'drop index comment_texts_repository'];

const ON_SQLITE = [
  'drop trigger issues_texts_gone',
  'drop trigger issue_entries_texts_gone',
  ...['issue_texts', 'comment_texts'].flatMap((table) => [
    `drop table ${table}`,
    `drop table repository_${table}`,
  ]),
  `create virtual table issue_texts using fts5 (repository, heading, title, body, ${OPTIONS})`,
  `create virtual table comment_texts using fts5 (repository, body, ${OPTIONS})`,
  `create trigger issues_texts_gone after delete on issues begin
    delete from issue_texts where rowid = old.id;
  end`,
  `create trigger issue_entries_texts_gone after delete on issue_entries when old.kind = 'comment' begin
    delete from comment_texts where rowid = old.id;
  end`,
  `insert into jobs (kind, key, payload, run_at, created_at)
    select 'issues.finish-import', id, '{"repositoryId":' || id || '}', 0, 0 from repositories
    where last_issue_number > 0 on conflict do nothing`,
];
