import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { DatabaseLocation } from '../../src/database/open.ts';
import { afterTest } from './after-test.ts';
import {
  createMigratedPostgresDatabase,
  createPostgresDatabase,
  postgresServerUrl,
} from './postgres-databases.ts';
import { createMigratedSqliteDatabase } from './sqlite-databases.ts';

/**
 * Creates a database of the current pass's kind. The end of the test removes it.
 *
 * @param options.schema `empty` for a database without any table
 */
export async function databaseLocation(
  t: TestContext,
  { schema }: { schema: 'empty' | 'migrated' } = { schema: 'migrated' },
): Promise<DatabaseLocation> {
  const serverUrl = postgresServerUrl();
  if (serverUrl === undefined) return fileLocation(t, schema);
  const make = schema === 'empty' ? createPostgresDatabase : createMigratedPostgresDatabase;
  const created = await make(serverUrl);
  afterTest(t, () => created.drop());
  return { kind: 'url', url: created.url };
}

async function fileLocation(t: TestContext, schema: 'empty' | 'migrated'): Promise<DatabaseLocation> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-database-'));
  afterTest(t, () => rmSync(folder, { recursive: true, force: true }));
  const location: DatabaseLocation = { kind: 'file', path: path.join(folder, 'quire.db') };
  if (schema === 'migrated') await createMigratedSqliteDatabase(location.path);
  return location;
}
