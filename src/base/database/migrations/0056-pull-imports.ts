import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Pull requests and reviews of repositories that are still being imported. Their ids on the source identify them, as they
 * do issues and comments. Indexes list comments and reviews by their times, because both are entries of one timeline.
 */
export const pullImports: Migration = {
  name: 'pull-imports',
  async up(db, dialect) {
    const statements = statementsFor(
      wholeNumber(dialect),
      dialect === 'sqlite' ? 'text' : 'text collate "C"',
    );
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

function statementsFor(int: string, text: string): readonly string[] {
  const author = `author_id ${int}, original_author ${text} not null, original_author_id ${int} not null`;
  const times = `created_at ${int} not null, updated_at ${int} not null`;
  return [
    `alter table staged_issues add column is_pull ${int} not null default 0`,
    'create index staged_comments_time on staged_comments (repository_id, created_at, comment_key)',
    `create table staged_pulls (
      repository_id ${int} not null, number ${int} not null, flow ${text} not null, base_branch ${text} not null,
      is_own_head ${int} not null, head_branch ${text} not null, head_sha ${text} not null,
      allows_maintainer_edit ${int} not null, merge_base ${text}, additions ${int} not null, deletions ${int} not null,
      changed_files ${int} not null, merged_at ${int}, merged_by ${int}, merged_sha ${text},
      primary key (repository_id, number)
    )`,
    `create table staged_review_requests (
      repository_id ${int} not null, number ${int} not null, account_id ${int} not null, is_official ${int} not null,
      created_at ${int} not null, primary key (repository_id, number, account_id)
    )`,
    `create table staged_reviews (
      repository_id ${int} not null, review_key ${int} not null, number ${int} not null, ${author},
      state ${text} not null, body ${text} not null, commit_sha ${text} not null, is_official ${int} not null,
      is_stale ${int} not null, is_dismissed ${int} not null, ${times}, id_here ${int},
      primary key (repository_id, review_key)
    )`,
    'create index staged_reviews_pull on staged_reviews (repository_id, number)',
    'create index staged_reviews_time on staged_reviews (repository_id, created_at, review_key)',
    `create table staged_review_comments (
      repository_id ${int} not null, comment_key ${int} not null, review_key ${int} not null, author_id ${int},
      resolver_id ${int}, path ${text} not null, is_old_side ${int} not null, line ${int} not null,
      current_line ${int} not null, extra_lines ${int} not null, original_sha ${text} not null,
      commit_sha ${text} not null, hunk ${text} not null, body ${text} not null, ${times},
      primary key (repository_id, comment_key)
    )`,
    'create index staged_review_comments_review on staged_review_comments (repository_id, review_key)',
  ];
}
