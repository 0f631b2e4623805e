import type pg from 'pg';
import { HINTS, type Hint, HintListeners } from './hints.ts';

const CHANNEL = 'quire_hints';
const RECONNECT_MS = 2_000;

/**
 * Hints between processes by LISTEN and NOTIFY. They are sent after the commit, outside of it: a NOTIFY within would
 * make the commits of all processes wait for each other.
 */
export class PostgresHints {
  readonly #newClient: () => pg.Client;
  readonly #pool: pg.Pool;
  readonly #listeners = new HintListeners();
  readonly #unsent = new Set<Hint>();
  #sending: Promise<void> | null = null;
  #client: pg.Client | null = null;
  #connecting: Promise<void> | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: { newClient: () => pg.Client; pool: pg.Pool }) {
    this.#newClient = options.newClient;
    this.#pool = options.pool;
  }

  /** A connection is kept for listening from the first listener on. */
  on(hint: Hint, listener: () => void): () => void {
    this.#connecting ??= this.#connect();
    return this.#listeners.on(hint, listener);
  }

  tell(hint: Hint): void {
    this.#listeners.tell(hint);
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

  /** One at a time: under load, many commits make one notice. */
  async #send(): Promise<void> {
    while (this.#unsent.size > 0) {
      const hints = [...this.#unsent];
      this.#unsent.clear();
      for (const hint of hints) {
        // Whoever does not hear of it looks by itself a little later.
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
      if (hint !== undefined) this.#listeners.tell(hint);
    });
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // What was told while nobody listened.
      for (const hint of HINTS) this.#listeners.tell(hint);
    } catch {
      this.#reconnectLater(client);
    }
  }

  #reconnectLater(client: pg.Client): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => {});
    this.#reconnect = setTimeout(() => {
      this.#connecting = this.#connect();
    }, RECONNECT_MS).unref();
  }
}
