import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresConnections } from './postgres-connections.ts';
import { openSqlite } from './sqlite.ts';

export type DatabaseLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string; readonly connections?: PostgresConnections | undefined };

/** Opens a database without checking its schema: call `migrate` next. */
export function openDatabase(location: DatabaseLocation): Database {
  return location.kind === 'file'
    ? openSqlite(location.path)
    : openPostgres(location.url, location.connections);
}
