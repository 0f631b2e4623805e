import { KeptConnections } from './kept-connections.ts';
import { withClient } from './postgres.ts';
import { type Contents, contentsOf, restore } from './postgres-contents.ts';
import { createMigratedPostgresDatabase, type PostgresTestDatabase } from './postgres-databases.ts';

/** Deleted rows stay in the files, because nothing vacuums them, and make each statement a little slower. */
const USES_MAX = 120;

/** A database with the current schema, on connections that stay open from one test to the next. */
export interface KeptDatabase {
  readonly url: string;
  readonly connections: KeptConnections;
  /** Makes it as it was when it was new, for the next test, or removes it if that is not possible. */
  release(): Promise<void>;
}

interface Kept extends PostgresTestDatabase {
  readonly connections: KeptConnections;
  readonly contents: Contents;
  uses: number;
}

/** Databases that no test uses, by server. */
const idle = new Map<string, Kept[]>();

/** Returns a database that another test has used before, or a new one. */
export async function takePostgresDatabase(serverUrl: string): Promise<KeptDatabase> {
  const waiting = idle.get(serverUrl) ?? [];
  idle.set(serverUrl, waiting);
  const kept = waiting.pop() ?? (await make(serverUrl));
  const { url, connections } = kept;
  return {
    url,
    connections,
    async release() {
      kept.uses += 1;
      if (isInRun() && kept.uses < USES_MAX && (await isRestored(kept))) waiting.push(kept);
      else await remove(kept);
    },
  };
}

/** At its end, a run removes its databases and folders. Nothing else would remove those that are kept. */
export function isInRun(): boolean {
  return process.env.QUIRE_TEST_RUN !== undefined;
}

async function make(serverUrl: string): Promise<Kept> {
  const created = await createMigratedPostgresDatabase(serverUrl);
  const contents = await withClient(created.url, contentsOf);
  return { ...created, connections: new KeptConnections(), contents, uses: 0 };
}

/** False for example if the test has changed the schema, or if a process that it started is still connected. */
async function isRestored({ connections, contents }: Kept): Promise<boolean> {
  try {
    return await connections.withClient((client) => restore(client, contents, connections.processes));
  } catch {
    return false;
  }
}

async function remove({ connections, drop }: Kept): Promise<void> {
  await connections.close();
  await drop();
}
