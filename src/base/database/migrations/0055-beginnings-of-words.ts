import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * A search finds the beginnings of words in the indexes of the texts themselves. The list of all words is dropped: words of
 * hidden texts took the places of others in it.
 *
 * On SQLite, the indexes also contain the beginnings of three characters, and jobs index the texts again, as after migration
 * 0053.
 */
export const beginningsOfWords: Migration = {
  name: 'beginnings-of-words',
  async up(db, dialect) {
    const statements = ['drop table issue_terms', ...(dialect === 'sqlite' ? ON_SQLITE : [])];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const OPTIONS = `tokenize = 'ascii', prefix = '3', content = '', contentless_delete = 1`;

const ON_SQLITE = [
  'drop table issue_texts',
  'drop table comment_texts',
  `create virtual table issue_texts using fts5 (repository, heading, title, body, ${OPTIONS})`,
  `create virtual table comment_texts using fts5 (repository, body, ${OPTIONS})`,
  `insert into jobs (kind, key, payload, run_at, created_at)
    select 'issues.finish-import', id, '{"repositoryId":' || id || '}', 0, 0 from repositories
    where last_issue_number > 0 on conflict do nothing`,
];
