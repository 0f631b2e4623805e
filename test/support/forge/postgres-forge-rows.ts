import pg from 'pg';
import type { ForgeConnections } from './forge-connections.ts';
import {
  afterwards,
  BEFORE,
  type ForgeRows,
  IDS_PASSED,
  LASTING_TABLES,
  type Restored,
} from './forge-rows.ts';

/** Deleted rows stay in the files, because nothing vacuums them. */
const ROWS_DELETED_MAX = 10_000;

/** Changes with the planner's statistics, which no event reports. */
const STATISTICS = '(select count(*) from pg_statistic where starelid >= 16384)';

/** `@types/pg` lacks this method. It lets the process end although the connection is open. */
type Client = pg.Client & { unref(): void };

/**
 * Keeps the rows and the function that restores them in the database itself, in a schema of their own. Its connection has
 * no triggers and foreign keys. PostgreSQL plans all statements of a session again when that changes.
 */
export class PostgresForgeRows implements ForgeRows {
  readonly #client: Client;
  readonly #connections: ForgeConnections;
  readonly #readAt = Date.now();

  private constructor(client: Client, connections: ForgeConnections) {
    this.#client = client;
    this.#connections = connections;
  }

  /** @param connections those of the forge */
  static async read(url: string, connections: ForgeConnections): Promise<PostgresForgeRows> {
    const client = new pg.Client({
      connectionString: url,
      options: '-c session_replication_role=replica',
    }) as Client;
    // A broken connection fails the next statement. Without a listener, the error would end the process.
    client.on('error', () => {});
    await client.connect();
    client.unref();
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    const tables = rows.map(({ name }) => name).filter((name) => !LASTING_TABLES.includes(name));
    await client.query(keeping(tables, await listFilled(client, tables)));
    return new PostgresForgeRows(client, connections);
  }

  async restore(): Promise<Restored> {
    const { rows } = await this.#client.query<{ restored: Restored }>({
      name: 'restore',
      text: 'select kept.restore($1, $2) as restored',
      values: [Date.now() - this.#readAt, this.#connections.processes],
    });
    return rows[0]?.restored ?? 'lost';
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

async function listFilled(client: pg.ClientBase, tables: readonly string[]): Promise<readonly string[]> {
  const checks = tables.map((name) => `select '${name}' as name where exists (select from ${name})`);
  const { rows } = await client.query<{ name: string }>(checks.join(' union all '));
  return rows.map(({ name }) => name);
}

function keeping(tables: readonly string[], filled: readonly string[]): string {
  return `
    drop schema if exists kept cascade;
    create schema kept;
    ${filled.map((name) => `create table kept.${name} as table public.${name};`).join('\n')}
    create table kept.state as select false as is_changed, 0::bigint as deleted, ${STATISTICS} as statistics;
    create function kept.change() returns event_trigger language plpgsql as $$
      begin update kept.state set is_changed = true; end $$;
    create function kept.restore(elapsed bigint, own integer[]) returns text language plpgsql as $$
    declare
      gone bigint := 0;
      in_table bigint;
      others bigint;
    begin
      ${body(tables, filled)}
      return 'restored';
    end $$;
    select setval(format('%I', sequencename)::regclass, coalesce(last_value, 0) + ${IDS_PASSED})
      from pg_sequences where schemaname = 'public';
    create event trigger kept_change on ddl_command_end execute function kept.change();`;
}

function body(tables: readonly string[], filled: readonly string[]): string {
  return `
    -- No job starts from here on.
    lock table jobs in exclusive mode;
    if exists (select from jobs where leased_by is not null) then return 'in use'; end if;
    select count(*) into others from pg_stat_activity where datname = current_database()
      and backend_type = 'client backend' and pid <> pg_backend_pid() and pid <> all(own);
    if others > 0 or exists (select from kept.state
      where is_changed or deleted > ${ROWS_DELETED_MAX} or statistics <> ${STATISTICS}) then return 'lost'; end if;
    ${BEFORE.map((statement) => `${statement};`).join('\n')}
    ${tables.map(clearing).join('\n')}
    ${filled.map((name) => `insert into ${name} overriding system value select * from kept.${name};`).join('\n')}
    ${afterwards('elapsed', 'select last_value from events_position_seq').join(';\n')};
    insert into search_changes default values;
    update kept.state set deleted = deleted + gone;`;
}

function clearing(name: string): string {
  return `if exists (select from ${name}) then
      delete from ${name};
      get diagnostics in_table = row_count;
      gone := gone + in_table;
    end if;`;
}
