import pg from 'pg';

const CONNECT_MS_MAX = 60_000;

/** `@types/pg` lacks these methods, which decide whether the connection keeps the process alive. */
type Client = pg.Client & { ref(): void; unref(): void };

/** A connection to the maintenance database. The process keeps it, because a new one for each database costs 10 ms of CPU. */
interface Kept {
  readonly url: string;
  readonly client: Client;
  /** number of statements that wait or run */
  pending: number;
  /** settles after the newest statement */
  last: Promise<unknown>;
}

let kept: Kept | undefined;

/** Runs one statement on the maintenance database, after the statements before it. */
export async function maintain(serverUrl: string, statement: string): Promise<void> {
  kept = kept?.url === serverUrl ? kept : connect(serverUrl);
  const { client } = kept;
  const used = kept;
  used.pending += 1;
  client.ref();
  const done = used.last.then(() => client.query(statement));
  used.last = done.catch(() => {});
  try {
    await done;
  } finally {
    used.pending -= 1;
    if (used.pending === 0) client.unref();
  }
}

function connect(url: string): Kept {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
  }) as Client;
  const made: Kept = { url, client, pending: 0, last: client.connect() };
  const forget = () => {
    if (kept === made) kept = undefined;
  };
  // A broken connection fails its statement, and the next statement connects again.
  client.on('error', forget);
  client.on('end', forget);
  made.last.catch(forget);
  return made;
}
