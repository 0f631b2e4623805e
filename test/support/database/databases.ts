import type { TestContext } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { afterTest } from '../after-test.ts';
import { databaseLocation } from './database-location.ts';

/** Opens a new database with the current schema, of the current pass's kind. The end of the test closes it. */
export async function openTestDatabase(t: TestContext): Promise<Database> {
  const database = openDatabase(await databaseLocation(t));
  afterTest(t, () => database.close());
  return database;
}
