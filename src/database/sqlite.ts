import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database, Tx } from './database.ts';
import { HintListeners } from './hints.ts';
import { withHints } from './hints-after-commit.ts';
import type { Tables } from './schema/index.ts';

/** Longest time that the event loop blocks at once while another process writes. */
const BUSY_BLOCK_MS = 5;
/**
 * Page cache of the reading connection, which grows only as needed. With SQLite's default of 2 MiB, a late page of
 * 50,000 matches among 100,000 repositories took twice as long.
 */
const READ_CACHE_KIB = 32 * 1024;
const BUSY_GIVE_UP_MS = 30_000;
const STATEMENTS_KEPT = 500;

/**
 * Opens the database file and creates it if needed. Readers see committed data through a connection of their own.
 * Writers queue for the one write connection.
 *
 * @param file path, never `:memory:`, which two connections cannot share
 */
export function openSqlite(file: string): Database {
  const write = openFile(file);
  // WAL lets readers continue while a writer commits. FULL makes a commit survive power loss.
  write.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  const read = openFile(file);
  read.exec('PRAGMA query_only = ON; PRAGMA foreign_keys = ON;');
  read.exec(`PRAGMA cache_size = -${READ_CACHE_KIB}`);

  const writer = new Kysely<Tables>({ dialect: dialectOn(write) });
  const reader = new Kysely<Tables>({ dialect: dialectOn(read) });
  const listeners = new HintListeners();
  return {
    dialect: 'sqlite',
    reader,
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      withHints(
        (tracked) => writer.transaction().execute(tracked),
        work,
        (hint) => listeners.notify(hint),
      ),
    onHint: (hint, listener) => listeners.on(hint, listener),
    async close() {
      await reader.destroy();
      await writer.destroy();
      // Kysely does not close a connection that was never used. SQLite moves everything into the file when the last one closes.
      for (const handle of [read, write]) if (handle.isOpen) handle.close();
    },
  };
}

function openFile(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: BUSY_BLOCK_MS });
}

function dialectOn(handle: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(handle),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** A driver with one connection, for which callers queue. */
class NodeSqliteDriver implements Driver {
  readonly #handle: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  #free: Promise<void> = Promise.resolve();
  #release: (() => void) | null = null;

  constructor(handle: DatabaseSync) {
    this.#handle = handle;
    this.#connection = new NodeSqliteConnection(handle);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#free = promise;
    await before;
    this.#release = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const release = this.#release;
    this.#release = null;
    release?.();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // IMMEDIATE takes the write lock now, so nothing that the transaction reads is stale when it writes.
    const begin = CompiledQuery.raw('begin immediate');
    const giveUpAt = Date.now() + BUSY_GIVE_UP_MS;
    for (;;) {
      try {
        await connection.executeQuery(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() > giveUpAt) throw error;
        await sleep(5 + Math.random() * 20);
      }
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors, such as a full disk, have already rolled back.
    if (this.#handle.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    if (this.#handle.isOpen) this.#handle.close();
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #handle: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  constructor(handle: DatabaseSync) {
    this.#handle = handle;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const values = query.parameters.map(bindable);
    if (returnsRows) return { rows: statement.all(...values).map(ordinary) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, but this driver does not stream
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('this driver cannot stream rows: read them in pages');
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#handle.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    // SQLite reports the id of the latest row with each statement. The full-text search makes ids for itself that are larger
    // than a number can hold, and node:sqlite throws for those.
    if (!prepared.returnsRows) statement.setReadBigInts(true);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= STATEMENTS_KEPT && oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Gives a row the ordinary prototype, which rows of node:sqlite lack. Setting it costs less than a copy. */
function ordinary(row: object): object {
  return Object.setPrototypeOf(row, Object.prototype) as object;
}

/** Binds whole numbers as integers. node:sqlite binds numbers as REAL, which affects `typeof` and expressions. */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value as SQLInputValue;
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY and its extended codes share the low byte 5.
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}
