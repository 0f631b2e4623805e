import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Rows after which a change removes those that are older than half as many. */
const ROWS_KEPT = 1_000;

const COLUMNS = `lower_name, topics, description, lower_description, owner_id, is_private, is_template, is_mirror,
  archived_at, parent_id, facets, owner_lower_name`;

/**
 * On PostgreSQL too, a server may remember how many repositories match, until one changes in a way that a search depends
 * on. One row that each change updates, as in SQLite, would make all changes wait for each other there. So each adds a row.
 * What a reader sees of these rows is the same only if nothing was committed in between.
 */
export const searchChanges: Migration = {
  name: 'search-changes',
  async up(db, dialect) {
    if (dialect === 'sqlite') return;
    const statements = [
      'create table search_changes (id bigint generated always as identity primary key)',
      // Removing waits for no other change, and skips what another one is removing.
      `create function repositories_changed() returns trigger language plpgsql as $$
      declare added bigint;
      begin
        insert into search_changes default values returning id into added;
        if added % ${ROWS_KEPT / 2} = 0 then
          delete from search_changes where id in (
            select id from search_changes where id < added - ${ROWS_KEPT / 2} for update skip locked);
        end if;
        return null;
      end $$`,
      `create trigger repositories_counted after insert or delete or update of ${COLUMNS} on repositories
        for each statement execute function repositories_changed()`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
