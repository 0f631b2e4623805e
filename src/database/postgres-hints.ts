import { HINTS, type Hint, HintListeners } from './hints.ts';
import type { Connection, ConnectionPool } from './postgres-connections.ts';

const CHANNEL = 'quire_hints';
const RECONNECT_MS = 2_000;

/**
 * Sends hints between processes with LISTEN and NOTIFY. Each NOTIFY follows the commit: inside a transaction it would
 * make the commits of all processes wait for each other.
 */
export class PostgresHints {
  readonly #newClient: () => Connection;
  readonly #pool: ConnectionPool;
  readonly #listeners = new HintListeners();
  readonly #unsent = new Set<Hint>();
  #sending: Promise<void> | null = null;
  #client: Connection | null = null;
  #connecting: Promise<void> | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: { newClient: () => Connection; pool: ConnectionPool }) {
    this.#newClient = options.newClient;
    this.#pool = options.pool;
  }

  /** The first listener opens a connection that stays open. */
  on(hint: Hint, listener: () => void): () => void {
    this.#connecting ??= this.#connect();
    return this.#listeners.on(hint, listener);
  }

  notify(hint: Hint): void {
    this.#listeners.notify(hint);
    this.#unsent.add(hint);
    this.#sending ??= this.#send();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnect);
    await this.#sending;
    await this.#connecting;
    await this.#client?.end().catch(() => {});
  }

  /** Sends one hint at a time: under load, many commits share one notification. */
  async #send(): Promise<void> {
    while (this.#unsent.size > 0) {
      const hints = [...this.#unsent];
      this.#unsent.clear();
      for (const hint of hints) {
        // A listener that misses a hint polls a little later.
        await this.#pool.query('select pg_notify($1, $2)', [CHANNEL, hint]).catch(() => {});
      }
    }
    this.#sending = null;
  }

  async #connect(): Promise<void> {
    const client = this.#newClient();
    client.on('error', () => this.#reconnectLater(client));
    client.on('end', () => this.#reconnectLater(client));
    client.on('notification', ({ payload }) => {
      const hint = HINTS.find((each) => each === payload);
      if (hint !== undefined) this.#listeners.notify(hint);
    });
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // Hints that were sent before the connection listened.
      for (const hint of HINTS) this.#listeners.notify(hint);
    } catch {
      this.#reconnectLater(client);
    }
  }

  #reconnectLater(client: Connection): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => {});
    this.#reconnect = setTimeout(() => {
      this.#connecting = this.#connect();
    }, RECONNECT_MS).unref();
  }
}
