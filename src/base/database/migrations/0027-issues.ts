import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * Issues, their labels, assignees and mentions, and what happened to them. Lists are long and their filters few, so the
 * rows that filters start from repeat the state of the issue.
 */
export const issues: Migration = {
  name: 'issues',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    for (const count of ['last_issue_number', 'open_issues_count', 'closed_issues_count']) {
      await db.schema
        .alterTable('repositories')
        .addColumn(count, int, (c) => c.notNull().defaultTo(0))
        .execute();
    }
    await db.schema
      .createTable('issues')
      .addColumn('id', idType, idBuild)
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('author_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('title', text, (c) => c.notNull())
      .addColumn('body', text, (c) => c.notNull())
      .addColumn('ref', text, (c) => c.notNull().defaultTo(''))
      .addColumn('milestone_id', int, (c) => c.references('milestones.id').onDelete('set null'))
      .addColumn('is_pull', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_closed', int, (c) => c.notNull().defaultTo(0))
      .addColumn('closed_at', int)
      .addColumn('is_locked', int, (c) => c.notNull().defaultTo(0))
      .addColumn('due_at', int)
      .addColumn('pin_order', int, (c) => c.notNull().defaultTo(0))
      .addColumn('comments_count', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    for (const [table, references] of Object.entries({
      labels: 'labels',
      assignees: 'accounts',
      mentions: 'accounts',
    })) {
      await db.schema
        .createTable(`issue_${table}`)
        .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
        .addColumn('subject_id', int, (c) => c.notNull().references(`${references}.id`).onDelete('cascade'))
        .addColumn('repository_id', int, (c) => c.notNull())
        .addColumn('is_pull', int, (c) => c.notNull())
        .addColumn('is_closed', int, (c) => c.notNull())
        .addPrimaryKeyConstraint(`issue_${table}_key`, ['issue_id', 'subject_id'])
        .execute();
      for (const [name, columns] of Object.entries({
        repository: ['repository_id', 'subject_id', 'is_pull', 'is_closed', 'issue_id'] as const,
        subject: ['subject_id', 'is_pull', 'is_closed', 'issue_id'] as const,
      })) {
        await db.schema
          .createIndex(`issue_${table}_${name}`)
          .on(`issue_${table}`)
          .columns([...columns])
          .execute();
      }
    }
    await db.schema
      .createTable('issue_entries')
      .addColumn('id', idType, idBuild)
      .addColumn('issue_id', int, (c) => c.notNull().references('issues.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull())
      .addColumn('author_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('body', text, (c) => c.notNull())
      .addColumn('details', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .execute();
    const shown = ['repository_id', 'is_pull', 'is_closed'] as const;
    const indexes = {
      issues: {
        number: [...shown, 'number', 'updated_at'],
        updated: [...shown, 'updated_at', 'number'],
        comments: [...shown, 'comments_count', 'number'],
        due: [...shown, 'due_at', 'number'],
        author: ['repository_id', 'author_id', 'is_pull', 'is_closed', 'id'],
        own: ['author_id', 'is_pull', 'is_closed', 'id'],
        milestone: ['milestone_id', 'is_pull', 'is_closed', 'id'],
        everywhere: ['is_pull', 'is_closed', 'id'],
      },
      issue_entries: {
        issue: ['issue_id', 'id'],
        comments: ['repository_id', 'kind', 'id'],
        author: ['author_id'],
      },
    };
    await db.schema
      .createIndex('issues_numbers')
      .on('issues')
      .columns(['repository_id', 'number'])
      .unique()
      .execute();
    for (const [table, lists] of Object.entries(indexes)) {
      for (const [name, columns] of Object.entries(lists))
        await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
    }
  },
};
