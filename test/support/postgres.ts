import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { memoryFolder } from './memory-folder.ts';
import {
  type Binaries,
  findBinaries,
  giveFolder,
  OTHER_WAYS,
  type RunAs,
  runAs,
} from './postgres-binaries.ts';

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const POLL_MS = 20;
/** Each server under test holds up to ten connections, and several files of several servers run at once. */
const CONNECTIONS_MAX = 300;
const MEMORY_BYTES_WANTED = 2 ** 30;
const LOG_CHARS_SHOWN = 4_000;

export interface PostgresServer {
  /** address of its maintenance database, as a user who may do everything */
  readonly url: string;
  /** Stops it and removes all that it wrote. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server of its own on a free port of 127.0.0.1, as fast and as forgetful as PostgreSQL can be.
 * It also ends, and its folder with it, when this process ends in whatever way.
 */
export async function startPostgres(): Promise<PostgresServer> {
  if (process.platform === 'win32') {
    throw new Error('On Windows the tests do not start PostgreSQL themselves: set DATABASE_URL.');
  }
  const as = runAs();
  const binaries = findBinaries(as);
  // A database is 300 files. On some disks a database for each test costs more than the tests: 300 ms, and 17 ms in memory.
  const parent = memoryFolder({ bytesWanted: MEMORY_BYTES_WANTED }) ?? tmpdir();
  const folder = mkdtempSync(path.join(parent, 'quire-postgres-'));
  try {
    giveFolder(folder, as);
    const password = randomBytes(16).toString('hex');
    await initialize({ folder, binaries, as, password });
    const port = await freePort();
    const keeper = keep({ folder, binaries, as, port });
    const url = `postgresql://quire:${password}@127.0.0.1:${port}/postgres`;
    await untilReady(url, keeper, folder);
    return {
      url,
      async stop() {
        await stop(keeper);
        remove(folder, binaries.copy);
      },
    };
  } catch (error) {
    remove(folder, binaries.copy);
    throw error;
  }
}

function remove(...folders: readonly (string | undefined)[]): void {
  for (const folder of folders) if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

interface Place {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly as: RunAs;
}

async function initialize({ folder, binaries, as, password }: Place & { password: string }): Promise<void> {
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveFolder(passwordFile, as);
  const flags = [
    '--pgdata=db',
    '--username=quire',
    '--pwfile=password',
    // In the clear: it never leaves the machine, and hashing it would slow each connection down.
    '--auth=password',
    '--encoding=UTF8',
    '--locale=C',
    // A natural language's order, as servers in the field have it: text that must sort by bytes has to say so.
    '--locale-provider=icu',
    '--icu-locale=en-US',
    '--no-sync',
    '--no-instructions',
  ];
  const child = spawn(path.join(binaries.folder, 'initdb'), flags, { ...as, cwd: folder, stdio: 'pipe' });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`PostgreSQL could not be set up: ${printed.trim()}. ${OTHER_WAYS}`);
}

/** Ends the server when its input ends, which it does when the process at the other end is gone, however it went. */
const KEEPER = `
exec 3<&0
"$@" >log 2>&1 </dev/null 3<&- &
server=$!
(read -r nothing <&3; kill -INT $server) &
watch=$!
wait $server
kill $watch 2>/dev/null
cd /
rm -rf "$FOLDER" "$COPY"
`;

function keep({ folder, binaries, as, port }: Place & { port: number }): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: CONNECTIONS_MAX,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_wal_size: '128MB',
    shared_buffers: '64MB',
    // A worker of it in the template would hold up whoever wants a copy.
    autovacuum: 'off',
    log_checkpoints: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [path.join(binaries.folder, 'postgres'), '-D', 'db', '-p', String(port), ...flags];
  return spawn('/bin/sh', ['-c', KEEPER, 'keeper', ...command], {
    ...as,
    cwd: folder,
    env: { PATH: process.env.PATH, FOLDER: folder, COPY: binaries.copy ?? folder },
    // Its own session: a Ctrl-C in the terminal reaches the tests first, and they end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function untilReady(url: string, keeper: ChildProcess, folder: string): Promise<void> {
  const giveUpAt = Date.now() + START_MS_MAX;
  for (;;) {
    try {
      await withClient(url, async () => {});
      return;
    } catch (error) {
      if (keeper.exitCode !== null) throw new Error('PostgreSQL ended while it started', { cause: error });
      if (Date.now() > giveUpAt) {
        const log = readFileSync(path.join(folder, 'log'), 'utf8').slice(-LOG_CHARS_SHOWN);
        await stop(keeper);
        throw new Error(`PostgreSQL does not answer:\n${log}`, { cause: error });
      }
      await sleep(POLL_MS);
    }
  }
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode === null && keeper.signalCode === null) {
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await Promise.race([ended, sleep(STOP_MS_MAX, undefined, { ref: false })]);
    if (keeper.exitCode === null && keeper.pid !== undefined) process.kill(-keeper.pid, 'SIGKILL');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the port has no number');
  return address.port;
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: START_MS_MAX });
  // A connection that the server ends is told by the query that fails; this event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
