import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ForgeOptions } from '../../../testing/index.ts';
import { createMigratedPostgresDatabase, postgresServerUrl } from '../database/postgres-databases.ts';
import { createMigratedSqliteDatabase } from '../database/sqlite-databases.ts';
import { ForgeConnections } from './forge-connections.ts';
import type { ForgeRows } from './forge-rows.ts';
import { PostgresForgeRows } from './postgres-forge-rows.ts';
import { SqliteForgeRows } from './sqlite-forge-rows.ts';

/** Where a forge has its data. */
export interface Place {
  /** how the forge finds its data */
  readonly options: ForgeOptions;
  /** Reads the rows of the forge that uses it. */
  readRows(): Promise<ForgeRows>;
  /** Lets the process end although the forge runs. */
  unref(): void;
  remove(): Promise<void>;
}

/** A place that the caller has made. */
const GIVEN: Place = {
  options: {},
  readRows: () => Promise.reject(new Error('a forge in a place of its caller is not kept')),
  unref: () => {},
  remove: async () => {},
};

/** Makes a database on the server of the current pass, or a data folder that contains one. */
export async function makePlace({ dataFolder: given, databaseUrl }: ForgeOptions): Promise<Place> {
  if (databaseUrl !== undefined) return GIVEN;
  const serverUrl = postgresServerUrl();
  if (serverUrl !== undefined) return postgresPlace(serverUrl);
  if (given !== undefined) return GIVEN;
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-forge-'));
  const file = join(dataFolder, 'quire.db');
  await createMigratedSqliteDatabase(file);
  return {
    options: { dataFolder },
    readRows: async () => new SqliteForgeRows(file),
    unref: () => {},
    remove: () => rm(dataFolder, { recursive: true, force: true }),
  };
}

async function postgresPlace(serverUrl: string): Promise<Place> {
  const { url, drop } = await createMigratedPostgresDatabase(serverUrl);
  const connections = new ForgeConnections();
  return {
    options: { databaseUrl: url, databaseConnections: connections },
    readRows: () => PostgresForgeRows.read(url, connections),
    unref: () => connections.unref(),
    remove: drop,
  };
}
