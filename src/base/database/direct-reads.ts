import type { Db } from './database.ts';

/** Runs one statement at once and returns its rows. */
type ReadNow = (sql: string, parameters: readonly unknown[]) => readonly object[];

const readers = new WeakMap<Db, ReadNow>();

/** Lets `query` run the statements of a reader without the steps of Kysely, which cost as much as a small statement. */
export function readDirectly(reader: Db, read: ReadNow): void {
  readers.set(reader, read);
}

/** @returns undefined for a transaction, and for a database that answers over a network */
export function directReadOf(db: Db): ReadNow | undefined {
  return readers.get(db);
}
