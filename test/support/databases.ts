import type { TestContext } from 'node:test';
import type { Database } from '../../src/base/database/database.ts';
import { type DatabaseLocation, openDatabase } from '../../src/base/database/open.ts';
import { afterTest } from './after-test.ts';
import { databaseLocation } from './database-location.ts';
import { takePostgresDatabase } from './kept-postgres.ts';
import { postgresServerUrl } from './postgres-databases.ts';

/**
 * Opens a database with the current schema, of the current pass's kind. The end of the test closes it.
 *
 * @param options.isNew whether no test may have used it before, because the plans of statements depend on what it holds
 */
export async function openTestDatabase(
  t: TestContext,
  { isNew }: { isNew: boolean } = { isNew: false },
): Promise<Database> {
  const serverUrl = isNew ? undefined : postgresServerUrl();
  const location = serverUrl === undefined ? await databaseLocation(t) : await keptLocation(t, serverUrl);
  const database = openDatabase(location);
  afterTest(t, () => database.close());
  return database;
}

async function keptLocation(t: TestContext, serverUrl: string): Promise<DatabaseLocation> {
  const { url, connections, release } = await takePostgresDatabase(serverUrl);
  afterTest(t, release);
  return { kind: 'url', url, connections };
}
