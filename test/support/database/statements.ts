import { CompiledQuery } from 'kysely';
import type { Database, Db, Tx } from '../../../src/base/database/database.ts';

/** Returns the result of `read` with the statements that it ran. */
export async function statementsOf<Found>(
  database: Database,
  read: (db: Db) => Promise<Found>,
): Promise<{ found: Found; statements: readonly CompiledQuery[] }> {
  const statements: CompiledQuery[] = [];
  const listening = new Proxy(database.reader, {
    get(db, key) {
      if (key === 'executeQuery')
        return (query: CompiledQuery) => {
          statements.push(query);
          return db.executeQuery(query);
        };
      const member: unknown = Reflect.get(db, key, db);
      return typeof member === 'function' ? member.bind(db) : member;
    },
  });
  return { found: await read(listening), statements };
}

/** Returns how the database runs a statement. */
export async function planOf(
  database: Database,
  query: { readonly sql: string; readonly parameters: readonly unknown[] },
): Promise<string> {
  const isSqlite = database.dialect === 'sqlite';
  const explain = isSqlite ? 'explain query plan' : 'explain';
  return database.transaction(async (tx: Tx) => {
    const { rows } = await tx.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]),
    );
    return rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n');
  });
}
