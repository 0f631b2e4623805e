import { sql } from 'kysely';
import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Who wrote imported issues and comments where they come from, and the issues of repositories that are still being
 * imported. These have no ids yet: their repository is not there, so only its number and theirs identify them.
 */
export const issueImports: Migration = {
  name: 'issue-imports',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    for (const table of ['issues', 'issue_entries']) {
      await db.schema
        .alterTable(table)
        .addColumn('original_author', text, (c) => c.notNull().defaultTo(''))
        .execute();
      await db.schema
        .alterTable(table)
        .addColumn('original_author_id', int, (c) => c.notNull().defaultTo(0))
        .execute();
    }
    for (const statement of tablesOf(int, dialect === 'sqlite' ? 'text' : 'text collate "C"'))
      await sql.raw(statement).execute(db);
  },
};

function tablesOf(int: string, text: string): readonly string[] {
  const author = `author_id ${int}, original_author ${text} not null, original_author_id ${int} not null`;
  const times = `created_at ${int} not null, updated_at ${int} not null`;
  return [
    `create table staged_issues (
      repository_id ${int} not null, number ${int} not null, ${author}, title ${text} not null, body ${text} not null,
      ref ${text} not null, milestone_key ${int}, is_closed ${int} not null, closed_at ${int}, is_locked ${int} not null,
      due_at ${int}, ${times}, primary key (repository_id, number)
    )`,
    `create table staged_issue_labels (
      repository_id ${int} not null, number ${int} not null, label_key ${int} not null,
      primary key (repository_id, number, label_key)
    )`,
    `create table staged_issue_assignees (
      repository_id ${int} not null, number ${int} not null, account_id ${int} not null,
      primary key (repository_id, number, account_id)
    )`,
    `create table staged_comments (
      repository_id ${int} not null, comment_key ${int} not null, number ${int} not null, ${author},
      body ${text} not null, ${times}, primary key (repository_id, comment_key)
    )`,
    'create index staged_comments_issue on staged_comments (repository_id, number)',
  ];
}
