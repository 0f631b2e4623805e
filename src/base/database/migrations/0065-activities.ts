import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Activities, with an index for each kind of feed. The indexes of actors and owners have what a heatmap counts.
 * Events also record the names of the accounts in their payloads.
 */
export const activities: Migration = {
  name: 'activities',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('activities')
      .addColumn('id', idType, idBuild)
      .addColumn('op_type', 'text', (c) => c.notNull())
      .addColumn('unit', int, (c) => c.notNull())
      .addColumn('actor_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('owner_id', int, (c) => c.notNull())
      .addColumn('issue_id', int, (c) => c.references('issues.id').onDelete('cascade'))
      .addColumn('entry_id', int, (c) => c.references('issue_entries.id').onDelete('cascade'))
      .addColumn('line_comment_id', int, (c) => c.references('pull_review_comments.id').onDelete('cascade'))
      .addColumn('ref_name', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    const statements = [
      'alter table events add column account_names text',
      ...['actor', 'owner'].map(
        (of) => `create index activities_${of} on activities (${of}_id, created_at, id, repository_id, unit)`,
      ),
      'create index activities_repository on activities (repository_id, created_at, id, unit)',
      ...['issue', 'entry', 'line_comment'].map(
        (of) => `create index activities_${of} on activities (${of}_id) where ${of}_id is not null`,
      ),
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
