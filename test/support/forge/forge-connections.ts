import pg from 'pg';
import type {
  Connection,
  ConnectionPool,
  PostgresConnections,
} from '../../../src/base/database/postgres-connections.ts';

/** `@types/pg` lacks these members. The method decides whether the connection keeps the process alive. */
type Client = pg.Client & { readonly processID: number; unref(): void };

/** The connections of a kept forge, which must not keep the process alive while the forge waits for a test. */
export class ForgeConnections implements PostgresConnections {
  readonly #singles: Client[] = [];
  readonly #processes = new Set<number>();

  /** process ids, on the database server, of all connections so far */
  get processes(): readonly number[] {
    return [...this.#processes, ...this.#singles.map(({ processID }) => processID)];
  }

  pool(options: pg.PoolConfig): ConnectionPool {
    const pool = new pg.Pool({ ...options, allowExitOnIdle: true });
    pool.on('connect', (client) => this.#processes.add((client as unknown as Client).processID));
    // It replaces a broken connection. Without a listener, the error would end the process.
    return pool.on('error', () => {});
  }

  single(options: pg.ClientConfig): Connection {
    const client = new pg.Client(options) as Client;
    this.#singles.push(client);
    return client;
  }

  /** Lets the process end although a server uses the connections. */
  unref(): void {
    for (const client of this.#singles) client.unref();
  }
}
