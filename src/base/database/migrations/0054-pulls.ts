import { sql } from 'kysely';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Pull requests: what an issue with `is_pull` has in addition. A trigger repeats whether the issue is open, so that an
 * index lets two branches have at most one open pull request.
 */
export const pulls: Migration = {
  name: 'pulls',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    for (const column of ['open_pulls_count', 'closed_pulls_count'])
      await db.schema
        .alterTable('repositories')
        .addColumn(column, int, (c) => c.notNull().defaultTo(0))
        .execute();
    await db.schema
      .createTable('pulls')
      .addColumn('issue_id', int, (c) => c.primaryKey().references('issues.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('is_open', int, (c) => c.notNull())
      .addColumn('flow', text, (c) => c.notNull())
      .addColumn('base_branch', text, (c) => c.notNull())
      .addColumn('head_repository_id', int, (c) => c.references('repositories.id').onDelete('set null'))
      .addColumn('head_branch', text, (c) => c.notNull())
      .addColumn('has_head_branch', int, (c) => c.notNull())
      .addColumn('head_sha', text, (c) => c.notNull())
      .addColumn('allows_maintainer_edit', int, (c) => c.notNull().defaultTo(0))
      .addColumn('edits_allowed_by', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('merge_base', text)
      .addColumn('checked_base', text)
      .addColumn('checked_head', text)
      .addColumn('outcome', text)
      .addColumn('conflicts', text, (c) => c.notNull().defaultTo('[]'))
      .addColumn('additions', int, (c) => c.notNull().defaultTo(0))
      .addColumn('deletions', int, (c) => c.notNull().defaultTo(0))
      .addColumn('changed_files', int, (c) => c.notNull().defaultTo(0))
      .addColumn('review_comments', int, (c) => c.notNull().defaultTo(0))
      .addColumn('merged_at', int)
      .addColumn('merged_by', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('merged_sha', text)
      .execute();
    for (const statement of [
      'create unique index pulls_number on pulls (repository_id, number)',
      `create unique index pulls_open on pulls
        (head_repository_id, head_branch, repository_id, base_branch, flow) where is_open = 1`,
      'create index pulls_base on pulls (repository_id, base_branch, is_open)',
      'create index pulls_head on pulls (head_repository_id, head_branch)',
      'create index pulls_merged on pulls (repository_id, merged_sha) where merged_sha is not null',
      'create index pulls_merged_at on pulls (repository_id, merged_at, issue_id) where merged_at is not null',
      ...(dialect === 'sqlite' ? ON_SQLITE : ON_POSTGRES),
    ])
      await sql.raw(statement).execute(db);
    await db.schema
      .createTable('pull_reviews')
      .addColumn('id', idType, idBuild)
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull())
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('team_id', int, (c) => c.references('teams.id').onDelete('cascade'))
      .addColumn('original_author', text, (c) => c.notNull().defaultTo(''))
      .addColumn('original_author_id', int, (c) => c.notNull().defaultTo(0))
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('entry_id', int)
      .addColumn('body', text, (c) => c.notNull().defaultTo(''))
      .addColumn('commit_sha', text, (c) => c.notNull().defaultTo(''))
      .addColumn('is_official', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_stale', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_dismissed', int, (c) => c.notNull().defaultTo(0))
      .addColumn('comments_count', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('pull_review_comments')
      .addColumn('id', idType, idBuild)
      .addColumn('review_id', int, (c) => c.notNull().references('pull_reviews.id').onDelete('cascade'))
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('resolver_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('path', text, (c) => c.notNull())
      .addColumn('is_old_side', int, (c) => c.notNull())
      .addColumn('line', int, (c) => c.notNull())
      .addColumn('current_line', int, (c) => c.notNull())
      .addColumn('extra_lines', int, (c) => c.notNull().defaultTo(0))
      .addColumn('original_sha', text, (c) => c.notNull())
      .addColumn('commit_sha', text, (c) => c.notNull())
      .addColumn('hunk', text, (c) => c.notNull())
      .addColumn('body', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    for (const statement of [
      'create index pull_reviews_pull on pull_reviews (issue_id, account_id)',
      "create unique index pull_reviews_pending on pull_reviews (issue_id, account_id) where state = 'pending'",
      `create unique index pull_reviews_requested on pull_reviews (issue_id, account_id)
        where state = 'requested' and team_id is null`,
      `create unique index pull_reviews_requested_team on pull_reviews (issue_id, team_id)
        where state = 'requested' and team_id is not null`,
      'create index pull_reviews_account on pull_reviews (account_id, state)',
      'create index pull_reviews_team on pull_reviews (team_id) where team_id is not null',
      'create index pull_review_comments_review on pull_review_comments (review_id)',
      'create index pull_review_comments_pull on pull_review_comments (issue_id, path)',
    ])
      await sql.raw(statement).execute(db);
    await db.schema
      .createTable('pull_scheduled_merges')
      .addColumn('issue_id', int, (c) => c.primaryKey().references('issues.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('wanted', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
  },
};

const ON_SQLITE = [
  `create trigger issues_pulls_follow after update of is_closed on issues
      when new.is_pull = 1 and new.is_closed <> old.is_closed begin
      update pulls set is_open = case when new.is_closed = 1 then 0 else 1 end where issue_id = new.id;
    end`,
];

const ON_POSTGRES = [
  `create function issues_lead_pulls() returns trigger language plpgsql as $$
    begin
      update pulls set is_open = case when new.is_closed = 1 then 0 else 1 end where issue_id = new.id;
      return null;
    end $$`,
  `create trigger issues_pulls_follow after update of is_closed on issues for each row
      when (new.is_pull = 1 and new.is_closed <> old.is_closed) execute function issues_lead_pulls()`,
];
