import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuMsOf } from '../../runner/cpu-time.ts';
import { freePort } from '../free-port.ts';
import { memoryFolder } from '../memory-folder.ts';
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
/** Each server under test holds up to ten connections, and several run at a time. */
const CONNECTIONS_MAX = 300;
const MEMORY_BYTES_NEEDED = 2 ** 30;
const LOG_CHARS_SHOWN = 4_000;

export interface PostgresServer {
  /** address of its maintenance database over TCP, as a superuser */
  readonly url: string;
  /** the same through a socket in its folder, which takes a tenth less CPU */
  readonly socketUrl: string;
  /** CPU that it has used; undefined if unknown */
  cpuMs(): number | undefined;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server on a free port of 127.0.0.1, with all durability off. When this process ends in any way,
 * the server ends and removes its folder.
 *
 * @param more further settings of the server
 */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  if (process.platform === 'win32') {
    throw new Error('The tests do not start PostgreSQL on Windows: set DATABASE_URL.');
  }
  const as = runAs();
  const binaries = findBinaries(as);
  // A database is 300 files. On some disks, a database for each test costs more than the test:
  // 300 ms, and 17 ms in memory.
  const parent = memoryFolder({ bytesNeeded: MEMORY_BYTES_NEEDED }) ?? tmpdir();
  const folder = mkdtempSync(path.join(parent, 'quire-postgres-'));
  try {
    giveFolder(folder, as);
    const password = randomBytes(16).toString('hex');
    await initialize({ folder, binaries, as, password });
    const port = await freePort();
    const keeper = keep({ folder, binaries, as, port, more });
    const urlAt = (host: string) => `postgresql://quire:${password}@${host}:${port}/postgres`;
    const url = urlAt('127.0.0.1');
    await untilReady(url, keeper, folder);
    return {
      url,
      socketUrl: urlAt(encodeURIComponent(folder)),
      cpuMs: () => cpuMsOf(keeper.pid),
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

interface Installation {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly as: RunAs;
}

async function initialize({
  folder,
  binaries,
  as,
  password,
}: Installation & { password: string }): Promise<void> {
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveFolder(passwordFile, as);
  const flags = [
    '--pgdata=db',
    '--username=quire',
    '--pwfile=password',
    // Plain text: the password never leaves the machine. The server compares its hash, which takes 4 ms at the usual 4,096
    // iterations.
    '--auth=password',
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    // Real servers sort in the order of a natural language, so a query that must sort by bytes has to state that.
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
  if (code !== 0) throw new Error(`initdb failed: ${printed.trim()}. ${OTHER_WAYS}`);
}

/** Ends the server when the input ends, which happens when the process at its other end ends for any reason. */
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

function keep({
  folder,
  binaries,
  as,
  port,
  more,
}: Installation & { port: number; more: Readonly<Record<string, string>> }): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    // Relative to the folder of the database.
    unix_socket_directories: '..',
    max_connections: CONNECTIONS_MAX,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_wal_size: '128MB',
    shared_buffers: '64MB',
    // A vacuum worker in the template would block a copy.
    autovacuum: 'off',
    // By default, each connection plans a statement for its parameters five times before it keeps a plan for any. EXPLAIN
    // shows the plan for its parameters in either mode.
    plan_cache_mode: 'force_generic_plan',
    log_checkpoints: 'off',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [path.join(binaries.folder, 'postgres'), '-D', 'db', '-p', String(port), ...flags];
  return spawn('/bin/sh', ['-c', KEEPER, 'keeper', ...command], {
    ...as,
    cwd: folder,
    env: { PATH: process.env.PATH, FOLDER: folder, COPY: binaries.copy ?? folder },
    // In a separate session, so that Ctrl-C reaches only the tests, which end the server.
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
      if (keeper.exitCode !== null) throw new Error('PostgreSQL ended during its start', { cause: error });
      if (Date.now() > giveUpAt) {
        const log = readFileSync(path.join(folder, 'log'), 'utf8').slice(-LOG_CHARS_SHOWN);
        await stop(keeper);
        throw new Error(`PostgreSQL does not respond:\n${log}`, { cause: error });
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

/** Runs `work` on a new connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: START_MS_MAX });
  // If the server ends the connection, the query fails. Without a listener, this event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
