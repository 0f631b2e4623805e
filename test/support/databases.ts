import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { databaseLocation } from './database-location.ts';

/** A database with the schema of today, on the engine that the tests run on now; closed and removed after the test. */
export async function openTestDatabase(t: TestContext): Promise<Database> {
  const location = await databaseLocation(t);
  const database = openDatabase(location);
  t.after(() => database.close());
  return database;
}
