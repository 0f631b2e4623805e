import { type Kysely, sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

const LINKS = ['issue_labels', 'issue_assignees', 'issue_mentions'];

/**
 * Labels, assignees and mentions repeat the time of the last change of their issue, besides its state: lists of the issues
 * with a label that have changed since a time, or in the order of their changes, then read one index. The database itself
 * keeps both in step.
 */
export const timesOfIssueLinks: Migration = {
  name: 'times-of-issue-links',
  async up(db, dialect) {
    for (const table of LINKS) {
      await db.schema
        .alterTable(table)
        .addColumn('updated_at', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
        .execute();
      await run(
        db,
        `update ${table} set updated_at = (select i.updated_at from issues i where i.id = ${table}.issue_id)`,
      );
      await db.schema
        .createIndex(`${table}_updated`)
        .on(table)
        .columns(['repository_id', 'subject_id', 'is_pull', 'is_closed', 'updated_at', 'issue_id'])
        .execute();
    }
    const updates = LINKS.map(
      (table) =>
        `update ${table} set is_closed = new.is_closed, updated_at = new.updated_at where issue_id = new.id;`,
    ).join('\n');
    for (const statement of dialect === 'sqlite' ? onSqlite(updates) : onPostgres(updates))
      await run(db, statement);
  },
};

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the app's types
async function run(db: Kysely<any>, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

function onSqlite(updates: string): readonly string[] {
  return [
    `create trigger issues_links_follow after update of is_closed, updated_at on issues
      when new.is_closed <> old.is_closed or new.updated_at <> old.updated_at begin
      ${updates}
    end`,
  ];
}

function onPostgres(updates: string): readonly string[] {
  return [
    `create function issues_lead_links() returns trigger language plpgsql as $$
    begin
      ${updates}
      return null;
    end $$`,
    `create trigger issues_links_follow after update of is_closed, updated_at on issues for each row
      when (new.is_closed <> old.is_closed or new.updated_at <> old.updated_at)
      execute function issues_lead_links()`,
  ];
}
