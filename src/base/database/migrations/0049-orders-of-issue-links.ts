import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

const LINKS = ['issue_labels', 'issue_assignees', 'issue_mentions'];

/** What sorts the links of one label or account, by the name of the index. Each index has the time of the issue. */
const ORDERS = {
  number: 'issue_id, updated_at',
  comments: 'comments_count, issue_id, updated_at',
  due_first: 'coalesce(due_at, 9007199254740991), issue_id, updated_at',
  due_last: 'coalesce(due_at, -1), issue_id, updated_at',
};

/**
 * Labels, assignees and mentions repeat the number of comments and the due date of their issue, besides its state and its
 * time: late pages of the issues with a label, in any order and range of time, then read one index. The database itself
 * keeps all of them in step.
 */
export const ordersOfIssueLinks: Migration = {
  name: 'orders-of-issue-links',
  async up(db, dialect) {
    for (const statement of removing(dialect)) await run(db, statement);
    for (const table of LINKS) {
      await db.schema
        .alterTable(table)
        .addColumn('comments_count', wholeNumber(dialect), (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema.alterTable(table).addColumn('due_at', wholeNumber(dialect)).execute();
      await run(
        db,
        `update ${table} set comments_count = i.comments_count, due_at = i.due_at
          from issues i where i.id = ${table}.issue_id`,
      );
      await run(db, `drop index ${table}_repository`);
      for (const [name, keys] of Object.entries(ORDERS))
        await run(
          db,
          `create index ${table}_${name} on ${table} (repository_id, subject_id, is_pull, is_closed, ${keys})`,
        );
    }
    for (const statement of dialect === 'sqlite' ? onSqlite() : onPostgres()) await run(db, statement);
  },
};

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the app's types
async function run(db: Kysely<any>, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

function removing(dialect: Dialect): readonly string[] {
  return dialect === 'sqlite'
    ? ['drop trigger issues_links_follow']
    : ['drop trigger issues_links_follow on issues', 'drop function issues_lead_links'];
}

/** A change of a time, as each comment makes it, leaves the indexes alone that do not have times. */
const FOLLOWED = [
  ['times', ['updated_at', 'comments_count']],
  ['states', ['is_closed', 'due_at']],
] as const;

function updating(columns: readonly string[]): string {
  const set = columns.map((column) => `${column} = new.${column}`).join(', ');
  return LINKS.map((table) => `update ${table} set ${set} where issue_id = new.id;`).join('\n');
}

function differ(columns: readonly string[]): string {
  return columns.map((column) => `new.${column} is distinct from old.${column}`).join(' or ');
}

function onSqlite(): readonly string[] {
  return FOLLOWED.map(
    ([
      name,
      columns,
    ]) => `create trigger issues_links_follow_${name} after update of ${columns.join(', ')} on issues
      when ${differ(columns)} begin
      ${updating(columns)}
    end`,
  );
}

function onPostgres(): readonly string[] {
  return FOLLOWED.flatMap(([name, columns]) => [
    `create function issues_lead_${name}_of_links() returns trigger language plpgsql as $$
    begin
      ${updating(columns)}
      return null;
    end $$`,
    `create trigger issues_links_follow_${name} after update of ${columns.join(', ')} on issues for each row
      when (${differ(columns)}) execute function issues_lead_${name}_of_links()`,
  ]);
}
