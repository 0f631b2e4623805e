import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** The wiki of a repository is a git repository with an id of its own, which has refs but no row in `repositories`. */
export const wikis: Migration = {
  name: 'wikis',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const statements = [
      `alter table repositories add column wiki_id ${int}`,
      `alter table repositories add column wiki_bytes ${int} not null default 0`,
      'create unique index repositories_wiki on repositories (wiki_id)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
