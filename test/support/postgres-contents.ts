import type pg from 'pg';

type Client = Pick<pg.Client, 'query'>;

/** What a database contains. */
export interface Contents {
  /** changes with each change of the schema and of the planner's statistics */
  readonly schema: string;
  readonly tables: readonly string[];
  /** rows of the tables that are not empty, as JSON, by name */
  readonly rows: Readonly<Record<string, string>>;
  readonly sequences: readonly Sequence[];
}

interface Sequence {
  readonly name: string;
  readonly value: string;
  readonly is_called: boolean;
}

/** Room in the tables for rows that tests have deleted, because nothing vacuums them. */
const TABLE_BYTES_MAX = 2 ** 20;

/** Each row of the catalog has the number of the transaction that wrote it. */
const SCHEMA = `
  (select sum(xmin::text::bigint)::text from pg_class where relnamespace = 'public'::regnamespace)
  || ' ' || (select sum(xmin::text::bigint)::text from pg_attribute
    where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace))
  || ' ' || (select count(*) from pg_statistic where starelid >= 16384)`;

/** Reads what a database contains. */
export async function contentsOf(client: Client): Promise<Contents> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I', relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  const { rows: sequences } = await client.query<Sequence>(
    `select format('%I', sequencename) as name, coalesce(last_value, start_value)::text as value,
      last_value is not null as is_called from pg_sequences where schemaname = 'public'`,
  );
  const names = tables.map(({ name }) => name);
  const { schema, filled } = await stateOf(client, names, []);
  const rows: Record<string, string> = {};
  for (const name of filled) rows[name] = await rowsOf(client, name);
  return { schema, tables: names, rows, sequences };
}

/**
 * Gives a database the rows of `contents` back. Truncating would be slower, and connections would plan all statements
 * again.
 *
 * @param processes process ids of its connections
 * @returns false if its schema or the planner's statistics have changed, if it has other connections, or if it has become
 *   large
 */
export async function restore(
  client: Client,
  contents: Contents,
  processes: readonly number[],
): Promise<boolean> {
  const { schema, filled, others, bytes } = await stateOf(client, contents.tables, processes);
  if (schema !== contents.schema || others !== 0 || bytes > TABLE_BYTES_MAX) return false;
  const changed: string[] = [];
  for (const name of new Set([...filled, ...Object.keys(contents.rows)])) {
    const isChanged = !(name in contents.rows) || (await rowsOf(client, name)) !== contents.rows[name];
    if (isChanged) changed.push(name);
  }
  const values = contents.sequences.map(
    ({ name, value, is_called }) => `setval('${name}', ${value}, ${is_called})`,
  );
  await client.query(`
    begin;
    set local session_replication_role = replica;
    ${changed.map((name) => `delete from ${name};`).join('\n')}
    ${changed
      .filter((name) => name in contents.rows)
      .map((name) => inserted(name, contents.rows[name] ?? '[]'))
      .join('\n')}
    select ${values.join(', ')};
    commit`);
  return true;
}

interface State {
  readonly schema: string;
  /** tables that are not empty */
  readonly filled: readonly string[];
  /** number of connections of other processes */
  readonly others: number;
  /** size of all tables, with the room of deleted rows */
  readonly bytes: number;
}

async function stateOf(
  client: Client,
  tables: readonly string[],
  processes: readonly number[],
): Promise<State> {
  const filled = tables.map((name) => `case when exists (select from ${name}) then '${name}' end`);
  const { rows } = await client.query<State>({
    name: 'state',
    text: `select ${SCHEMA} as schema, array_remove(array[${filled.join(', ')}], null) as filled,
      (select count(*)::integer from pg_stat_activity where datname = current_database()
        and backend_type = 'client backend' and pid <> pg_backend_pid() and pid <> all($1)) as others,
      (select sum(pg_relation_size(oid))::integer from pg_class where relnamespace = 'public'::regnamespace
        and relkind = 'r') as bytes`,
    values: [processes],
  });
  const [state] = rows;
  if (state === undefined) throw new Error('a query without a condition returned no row');
  return state;
}

async function rowsOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ rows: string }>({
    name: `rows of ${table}`,
    text: `select coalesce(json_agg(t), '[]')::text as rows from ${table} t`,
  });
  return rows[0]?.rows ?? '[]';
}

function inserted(table: string, rows: string): string {
  const literal = `'${rows.replaceAll("'", "''")}'`;
  return `insert into ${table} overriding system value
    select * from json_populate_recordset(null::${table}, ${literal});`;
}
