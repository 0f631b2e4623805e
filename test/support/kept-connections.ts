import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type {
  Connection,
  ConnectionPool,
  PostgresConnections,
} from '../../src/base/database/postgres-connections.ts';

const POLL_MS = 2;
const EVENTS = ['error', 'end', 'notification'] as const;

/** `@types/pg` lacks these members. The methods decide whether the connection keeps the process alive. */
type Client = pg.Client & { readonly processID: number; ref(): void; unref(): void };

/**
 * Connections to one database that stay open from one server to the next. PostgreSQL reads the catalog and plans each
 * statement anew for each new connection, which costs more than most tests. To a server they look new: it gets a pool and
 * a single connection of its own, and ends them. What a server sets or locks ends with its transactions, and all servers set the
 * same for a session, so nothing in a session differs from a new one.
 *
 * Idle connections do not keep the process alive.
 */
export class KeptConnections implements PostgresConnections {
  #pool: pg.Pool | undefined;
  #idle: Client | undefined;
  readonly #lent = new Set<Client>();
  readonly #processes = new Set<number>();

  /** process ids, on the database server, of all connections so far */
  get processes(): readonly number[] {
    return [...this.#processes];
  }

  pool(options: pg.PoolConfig): ConnectionPool {
    this.#pool ??= this.#newPool(options);
    return new LentPool(this.#pool);
  }

  single(options: pg.ClientConfig): Connection {
    return new LentClient({
      take: () => this.#take(options),
      giveBack: (client) => {
        this.#lent.delete(client);
        client.unref();
        if (this.#idle === undefined) this.#idle = client;
        else client.end().catch(() => {});
      },
    });
  }

  /** Lets the process end although a server uses the connections. */
  unref(): void {
    for (const client of this.#lent) client.unref();
  }

  /**
   * Runs work on a connection of the pool.
   *
   * @throws Error if no server has used the database
   */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#pool === undefined) throw new Error('no server has used the database');
    const client = await this.#pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.#pool?.end();
    await this.#idle?.end();
  }

  #newPool(options: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool({ ...options, allowExitOnIdle: true, idleTimeoutMillis: 0 });
    pool.on('connect', (client) => this.#processes.add((client as unknown as Client).processID));
    // It replaces a broken connection. Without a listener, the error would end the process.
    pool.on('error', () => {});
    return pool;
  }

  async #take(options: pg.ClientConfig): Promise<Client> {
    const kept = this.#idle;
    this.#idle = undefined;
    if (kept !== undefined) {
      kept.ref();
      this.#lent.add(kept);
      return kept;
    }
    const client = new pg.Client(options) as Client;
    // The listeners of a server leave with it.
    client.on('error', () => {});
    await client.connect();
    this.#processes.add(client.processID);
    this.#lent.add(client);
    return client;
  }
}

/** The pool of one server, on connections that outlive it. */
class LentPool implements ConnectionPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  #isEnded = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.options = pool.options;
  }

  async connect(): Promise<pg.PoolClient> {
    this.#requireOpen();
    return this.#pool.connect();
  }

  async query(text: string, values: unknown[]): Promise<unknown> {
    this.#requireOpen();
    return this.#pool.query(text, values);
  }

  /** Waits until the server uses no connection any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const pool = this.#pool;
    while (pool.idleCount < pool.totalCount || pool.waitingCount > 0) await sleep(POLL_MS);
  }

  #requireOpen(): void {
    if (this.#isEnded) throw new Error('Cannot use a pool after calling end on the pool');
  }
}

interface Lender {
  take(): Promise<Client>;
  /** takes back a client that listens to no channel */
  giveBack(client: Client): void;
}

/** The single connection of one server, which outlives it. */
class LentClient extends EventEmitter implements Connection {
  readonly #lender: Lender;
  readonly #listeners = EVENTS.map(
    (event) => [event, (...values: unknown[]) => this.emit(event, ...values)] as const,
  );
  #client: Client | undefined;

  constructor(lender: Lender) {
    super();
    this.#lender = lender;
  }

  async connect(): Promise<void> {
    const client = await this.#lender.take();
    this.#client = client;
    for (const [event, listener] of this.#listeners) client.on(event as 'end', listener);
  }

  async query(text: string): Promise<unknown> {
    if (this.#client === undefined) throw new Error('the client is not connected');
    return this.#client.query(text);
  }

  /** @throws Error if the connection is broken, which is then not kept */
  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    await client.query('unlisten *');
    for (const [event, listener] of this.#listeners) client.off(event, listener);
    this.#lender.giveBack(client);
  }
}
