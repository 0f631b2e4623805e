import { sql } from 'kysely';
import { wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * What readers of events need: who acted, the names at that time, and the former values. Events from before have the owner
 * that they belong to now. Indexes find the events of one repository and of one owner. The position up to which events have
 * been deleted is a row, because a reader that continues from before it has missed events.
 */
export const readersOfEvents: Migration = {
  name: 'readers-of-events',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const numberAt = (key: string) =>
      dialect === 'sqlite'
        ? `json_extract(payload, '$.${key}')`
        : `cast(cast(payload as json) ->> '${key}' as bigint)`;
    const statements = [
      ...['actor_kind text', 'actor_name text', `owner_id ${int}`, 'owner_name text'].map(addColumn),
      ...['repository_name text', 'former text'].map(addColumn),
      `update events set owner_id = case
        when repository_id is null then coalesce(${numberAt('organizationId')}, ${numberAt('accountId')})
        else (select r.owner_id from repositories r where r.id = events.repository_id) end`,
      'create index events_repository on events (repository_id, position)',
      'create index events_owner on events (owner_id, position)',
      `create table event_log (id ${int} not null primary key, deleted_to ${int} not null)`,
      // Whether events have been deleted before is not known: then the first one left is where the log begins.
      `insert into event_log (id, deleted_to)
        select 1, coalesce(min(position) - 1, 0) from events`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

function addColumn(column: string): string {
  return `alter table events add column ${column}`;
}
