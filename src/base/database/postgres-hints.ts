import { randomUUID } from 'node:crypto';
import { HINTS, type Hint, HintListeners } from './hints.ts';
import { DATABASE_LIMITS } from './limits.ts';
import type { Connection, ConnectionPool } from './postgres-connections.ts';
import { Rested } from './rested.ts';

const CHANNEL = 'quire_hints';
const RECONNECT_MS = 2_000;

interface Dependencies {
  readonly newClient: () => Connection;
  readonly pool: ConnectionPool;
}

/**
 * Sends hints between processes with LISTEN and NOTIFY. Each NOTIFY follows the commit: inside a transaction it would
 * make the commits of all processes wait for each other. Listeners of the sending process are called at once.
 */
export class PostgresHints {
  /** in each message, because PostgreSQL sends it to its sender too */
  readonly #sender = randomUUID();
  readonly #use: Dependencies;
  readonly #listeners = new HintListeners();
  readonly #unsent = new Set<Hint>();
  /** Listeners rest as long after a hint, so a later message delays them little. */
  readonly #rested = new Rested(DATABASE_LIMITS.hintRestMs, () => {
    this.#sending = this.#sending.then(() => this.#send());
  });
  #sending = Promise.resolve();
  #client: Connection | null = null;
  #connecting: Promise<void> | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Dependencies) {
    this.#use = options;
  }

  /** The first listener opens a connection that stays open. */
  on(hint: Hint, listener: () => void): () => void {
    this.#connecting ??= this.#connect();
    return this.#listeners.on(hint, listener);
  }

  notify(hint: Hint): void {
    this.#listeners.notify(hint);
    this.#unsent.add(hint);
    this.#rested.ask();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnect);
    this.#rested.end();
    await this.#sending;
    await this.#send();
    await this.#connecting;
    await this.#client?.end().catch(() => {});
  }

  /** Under load, many commits share one message. */
  async #send(): Promise<void> {
    if (this.#unsent.size === 0) return;
    const message = [this.#sender, ...this.#unsent].join(' ');
    this.#unsent.clear();
    // A listener that misses a hint polls a little later.
    await this.#use.pool.query('select pg_notify($1, $2)', [CHANNEL, message]).catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = this.#use.newClient();
    client.on('error', () => this.#reconnectLater(client));
    client.on('end', () => this.#reconnectLater(client));
    client.on('notification', ({ payload = '' }) => {
      const [sender, ...named] = payload.split(' ');
      if (sender === this.#sender) return;
      for (const hint of HINTS) if (named.includes(hint)) this.#listeners.notify(hint);
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
