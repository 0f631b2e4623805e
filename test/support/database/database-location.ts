import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { DatabaseLocation } from '../../../src/base/database/open.ts';
import { afterTest } from '../after-test.ts';
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
 * @param options.folder of a database that is a file; by default one of its own
 */
export async function databaseLocation(
  t: TestContext,
  { schema, folder }: { schema: 'empty' | 'migrated'; folder?: string } = { schema: 'migrated' },
): Promise<DatabaseLocation> {
  const serverUrl = postgresServerUrl();
  if (serverUrl === undefined) return fileLocation(schema, folder ?? ownFolder(t));
  const make = schema === 'empty' ? createPostgresDatabase : createMigratedPostgresDatabase;
  const created = await make(serverUrl);
  afterTest(t, () => created.drop());
  return { kind: 'url', url: created.url };
}

/** Returns the database that a command with these flags uses. */
export function locationOf(command: {
  readonly flags: readonly string[];
  readonly dataFolder: string;
}): DatabaseLocation {
  const { flags, dataFolder } = command;
  const at = flags.indexOf('--database-url');
  if (at === -1) return { kind: 'file', path: path.join(dataFolder, 'quire.db') };
  return { kind: 'url', url: flags[at + 1] ?? '' };
}

function ownFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-database-'));
  afterTest(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function fileLocation(schema: 'empty' | 'migrated', folder: string): Promise<DatabaseLocation> {
  const location: DatabaseLocation = { kind: 'file', path: path.join(folder, 'quire.db') };
  if (schema === 'migrated') await createMigratedSqliteDatabase(location.path);
  return location;
}
