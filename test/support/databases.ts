import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { afterTest } from './after-test.ts';
import { databaseLocation } from './database-location.ts';

/** Opens a database with the current schema, of the current pass's kind. The end of the test closes and removes it. */
export async function openTestDatabase(t: TestContext): Promise<Database> {
  const location = await databaseLocation(t);
  const database = openDatabase(location);
  afterTest(t, () => database.close());
  return database;
}
