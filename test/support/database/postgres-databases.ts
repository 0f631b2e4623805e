import { randomBytes } from 'node:crypto';
import { migrate } from '../../../src/base/database/migrate.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { withClient } from './postgres.ts';

/** The lock under which a process creates the template, so that parallel processes create it once. */
const TEMPLATE_LOCK_KEY = 7_119_900;

/** A database on the tests' PostgreSQL server. */
export interface PostgresTestDatabase {
  readonly url: string;
  /** Removes it, even if connections are still open. */
  drop(): Promise<void>;
}

/**
 * The server to test on; undefined on SQLite. `npm test` sets the variable in its PostgreSQL pass, and you may set it to
 * run a single file.
 */
export function postgresServerUrl(): string | undefined {
  return process.env.QUIRE_TEST_DATABASE_URL;
}

/** Creates an empty database. */
export async function createPostgresDatabase(serverUrl: string): Promise<PostgresTestDatabase> {
  return create(serverUrl, undefined);
}

/**
 * Creates a database with the current schema. The first caller of a run migrates a template, and each call copies it.
 */
export async function createMigratedPostgresDatabase(serverUrl: string): Promise<PostgresTestDatabase> {
  const run = process.env.QUIRE_TEST_RUN;
  if (run !== undefined) return create(serverUrl, await ensureTemplate(serverUrl, run));
  // Outside of a run, nothing would remove the template.
  const created = await create(serverUrl, undefined);
  await migrateAt(created.url);
  return created;
}

/** Removes every database that a run left. */
export async function dropDatabasesOf(serverUrl: string, run: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const found = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefixOf(run)],
    );
    for (const { datname } of found.rows)
      await client.query(`drop database if exists ${datname} with (force)`);
  });
}

function prefixOf(run: string): string {
  if (!/^[a-z0-9]+$/.test(run)) throw new Error(`invalid run id: ${run}`);
  return `quire_test_${run}_`;
}

async function create(serverUrl: string, template: string | undefined): Promise<PostgresTestDatabase> {
  const name = prefixOf(process.env.QUIRE_TEST_RUN ?? 'byhand') + randomBytes(6).toString('hex');
  // Copying the files takes a quarter of the time of writing them through the log.
  const from = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await withClient(serverUrl, (client) => client.query(`create database ${name}${from}`));
  return {
    url: urlOf(serverUrl, name),
    drop: () =>
      withClient(serverUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

const templates = new Map<string, Promise<string>>();

function ensureTemplate(serverUrl: string, run: string): Promise<string> {
  const known = templates.get(serverUrl) ?? makeTemplate(serverUrl, run);
  templates.set(serverUrl, known);
  return known;
}

async function makeTemplate(serverUrl: string, run: string): Promise<string> {
  const name = `${prefixOf(run)}template`;
  await withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK_KEY]);
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount !== 0) return;
    await client.query(`create database ${name}`);
    try {
      await migrateAt(urlOf(serverUrl, name));
    } catch (error) {
      await client.query(`drop database ${name} with (force)`);
      throw error;
    }
  });
  return name;
}

async function migrateAt(url: string): Promise<void> {
  const database = openDatabase({ kind: 'url', url });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

/** Returns the address of the same database over TCP. Tests connect through a socket in the file system by default. */
export function overTcp(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (url.hostname.startsWith('%2F')) url.hostname = '127.0.0.1';
  return url.href;
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
