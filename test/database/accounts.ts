import type { TestContext } from 'node:test';
import type { Database, Tx } from '../../src/database/database.ts';
import { type DatabaseLocation, openDatabase } from '../../src/database/open.ts';
import { databaseLocation } from '../support/database-location.ts';

/** Opens a database that closes after the test; one location may be open several times. */
export function openAt(t: TestContext, location: DatabaseLocation): Database {
  const database = openDatabase(location);
  t.after(() => database.close());
  return database;
}

export async function openMigrated(t: TestContext): Promise<Database> {
  return openAt(t, await databaseLocation(t));
}

/** A row to test the engine with. */
export async function insertAccount(
  tx: Tx,
  name: string,
  columns: { fullName?: string; createdAt?: number } = {},
): Promise<number> {
  const { id } = await tx
    .insertInto('accounts')
    .values({
      kind: 'user',
      name,
      lower_name: name.toLowerCase(),
      full_name: columns.fullName ?? '',
      email: '',
      lower_email: null,
      password_hash: null,
      created_at: columns.createdAt ?? 0,
      updated_at: 0,
      last_login_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
