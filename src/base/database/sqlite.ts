import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { countStatement } from './counted-statements.ts';
import type { Database, Tx } from './database.ts';
import { readDirectly } from './direct-reads.ts';
import { HintListeners } from './hints.ts';
import { withHints } from './hints-after-commit.ts';
import { type MakeRow, makerOfRows } from './rows.ts';
import type { Tables } from './schema/index.ts';
import { SharedCommits, type WriteConnection } from './shared-commits.ts';

/** Longest time that one statement blocks the event loop while another process writes. */
const BUSY_BLOCK_MS = 5;
/**
 * Page cache of the reading connection, which grows only as needed. With SQLite's default of 2 MiB, a late page of
 * 50,000 matches among 100,000 repositories took twice as long.
 */
const READ_CACHE_KIB = 32 * 1024;
const STATEMENTS_KEPT = 500;
/** Statements that empty the cache, because a prepared `select *` returns the columns from before the change. */
const CHANGES_SCHEMA = /^\s*(?:alter|create|drop)\b/i;

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

  const writer = new Kysely<Tables>({
    dialect: dialectOn(new SharedCommits(new NodeSqliteConnection(write))),
  });
  const reading = new NodeSqliteConnection(read);
  const reader = new Kysely<Tables>({ dialect: dialectOn(new ReadingDriver(reading)) });
  readDirectly(reader, (sql, parameters) => reading.run(sql, parameters).rows);
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
    dataVersion: () => reading.dataVersion(),
    async close() {
      await reader.destroy();
      await writer.destroy();
      // Kysely does not close unused connections. When the last one closes, SQLite writes the WAL to the database file.
      for (const handle of [read, write]) if (handle.isOpen) handle.close();
    },
  };
}

function openFile(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: BUSY_BLOCK_MS });
}

/** Switches off Kysely's own lock: the drivers below decide which transaction waits. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function dialectOn(driver: Driver): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Runs single statements, synchronously, on one connection. */
class ReadingDriver implements Driver {
  readonly #connection: NodeSqliteConnection;

  constructor(connection: NodeSqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('the reading connection cannot run a transaction');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    const { handle } = this.#connection;
    if (handle.isOpen) handle.close();
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** null for a statement that returns no rows */
  readonly make: MakeRow | null;
  readonly changesSchema: boolean;
}

class NodeSqliteConnection implements WriteConnection {
  readonly handle: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(handle: DatabaseSync) {
    this.handle = handle;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.run(query.sql, query.parameters) as QueryResult<Row>;
  }

  control(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  /**
   * Returns a number that changes with the commits of other connections.
   *
   * @see https://www.sqlite.org/pragma.html#pragma_data_version
   */
  dataVersion(): number {
    const [row] = this.#prepare('PRAGMA data_version').statement.all() as unknown as readonly [
      readonly [number],
    ];
    return row[0];
  }

  /** Runs a statement synchronously. */
  run(sql: string, parameters: readonly unknown[]): QueryResult<object> {
    countStatement(sql);
    const prepared = this.#prepare(sql);
    const values = parameters.map(bindable);
    if (prepared.make !== null) {
      const rows = prepared.statement.all(...values) as unknown as readonly (readonly unknown[])[];
      return { rows: rows.map(prepared.make) };
    }
    const { changes, lastInsertRowid } = prepared.statement.run(...values);
    if (prepared.changesSchema) this.#statements.clear();
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, but this driver does not stream
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('this driver cannot stream rows: read them in pages');
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.handle.prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    // Each statement returns the id of the last inserted row. FTS5 inserts rows of its own, with ids above the largest
    // safe integer, and node:sqlite throws for such an id unless it returns a BigInt.
    if (columns.length === 0) statement.setReadBigInts(true);
    // Row objects of node:sqlite have no hidden class, so objects that are made of arrays are faster.
    else statement.setReturnArrays(true);
    const make = columns.length === 0 ? null : makerOfRows(columns);
    const prepared = { statement, make, changesSchema: CHANGES_SCHEMA.test(sql) };
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= STATEMENTS_KEPT && oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Binds whole numbers as integers. node:sqlite binds numbers as REAL, which affects `typeof` and expressions. */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value as SQLInputValue;
}
