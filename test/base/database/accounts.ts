import type { TestContext } from 'node:test';
import type { Database, Tx } from '../../../src/base/database/database.ts';
import { type DatabaseLocation, openDatabase } from '../../../src/base/database/open.ts';
import { afterTest } from '../../support/after-test.ts';
import { databaseLocation } from '../../support/database/database-location.ts';

/** Opens a database until the end of the test. A test may open one location several times. */
export function openAt(t: TestContext, location: DatabaseLocation): Database {
  const database = openDatabase(location);
  afterTest(t, () => database.close());
  return database;
}

export async function openMigrated(t: TestContext): Promise<Database> {
  return openAt(t, await databaseLocation(t));
}

/** Inserts an account and returns its id. */
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
