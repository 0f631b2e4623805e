import { readdirSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { TEST_PASSWORD_COST } from '../../../src/app/throwaway/config.ts';
import { type DatabaseLocation, openDatabase } from '../../../src/base/database/open.ts';
import { addressesOf } from '../../../src/http/app.ts';
import { createAccounts } from '../../../src/people/accounts/create.ts';
import { databaseLocation, locationOf } from '../../support/database/database-location.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { type Credentials, request } from '../../support/http/http.ts';
import { type Running, run } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';

const PASSWORD = 'correct horse battery';

/** Where servers that run one after the other have their data. */
type Data = Pick<Site, 'flags' | 'dataFolder'>;

/** Data of servers that run one after the other, with an administrator. */
export interface Site {
  readonly admin: Credentials & { name: string; password: string };
  /** flags that make a command use the data */
  readonly flags: readonly string[];
  readonly dataFolder: string;
}

/** A server in a separate process, whose memory and children can be measured. */
export interface ServerProcess extends Site {
  readonly running: Running;
  readonly pid: number;
  readonly url: string;
  /** a clone URL with the administrator's password */
  remote(path: string): string;
}

const STOP_OPTIMIZING =
  "import { setFlagsFromString as set } from 'node:v8'; set('--no-regexp-optimization')";
/** Environment of a server whose regular expressions need as much stack as after V8 has compiled very many of them. */
export const MANY_EXPRESSIONS = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(STOP_OPTIMIZING)}`,
} as const;

/** @param environment variables of the server in addition to the usual ones */
export async function startServerProcess(
  t: TestContext,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const site = await prepareSite(t);
  const { running, url } = await serveSite(t, site, environment);
  const remote = (path: string) => {
    const address = new URL(`${url}/${path}.git`);
    address.username = site.admin.name;
    address.password = site.admin.password;
    return address.href;
  };
  return { ...site, running, pid: running.child.pid ?? 0, url, remote };
}

/** Makes data that no server has used yet. */
export async function prepareSite(t: TestContext): Promise<Site> {
  const dataFolder = await temporaryFolder(t);
  const location = await databaseLocation(t, { schema: 'migrated', folder: dataFolder });
  await addAdministrator(location);
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  const flags = ['--data', dataFolder, '--log-level', 'error', ...database];
  return { admin: { name: 'root', password: PASSWORD }, flags, dataFolder };
}

/** Adds an administrator whose password is cheap to check for each server. */
async function addAdministrator(location: DatabaseLocation): Promise<void> {
  const database = openDatabase(location);
  const { accounts } = createAccounts({
    database,
    addresses: addressesOf('http://127.0.0.1'),
    passwordHashing: { cost: TEST_PASSWORD_COST },
  }).services;
  await accounts.ensureFirstAdministrator({
    name: 'root',
    email: 'root@example.org',
    password: PASSWORD,
    showPassword: async () => {},
  });
  await database.close();
}

/** Starts a server on this data in a separate process. */
export async function serveSite(
  t: TestContext,
  { flags }: Pick<Site, 'flags'>,
  environment: Record<string, string>,
): Promise<{ url: string; running: Running }> {
  const args = [PROGRAM, 'serve', '--port', '0', ...flags];
  const running = run(t, process.execPath, args, { environment });
  const [, url = ''] = await running.line(/^ready (\S+)$/m);
  return { url, running };
}

/**
 * Where a forge in this process finds the data, while no other server runs. It starts at a tenth of the cost of one in a
 * separate process.
 */
export function placeOf(data: Data) {
  const location = locationOf(data);
  const { dataFolder } = data;
  return { dataFolder, ...(location.kind === 'url' ? { databaseUrl: location.url } : {}) };
}

export async function createRepository(server: ServerProcess, name: string): Promise<string> {
  const created = await request('POST', `${server.url}/api/v1/user/repos`, {
    as: server.admin,
    json: { name },
  });
  if (created.status !== 201) throw new Error(`cannot create ${name}: ${created.text}`);
  return server.remote(`root/${name}`);
}

/** Whether this machine has the `/proc` that these tests read. */
export const LISTS_PROCESSES = process.platform === 'linux';

/**
 * Memory of a process in MiB.
 *
 * @param field `VmRSS`: the current amount. `VmHWM`: the maximum so far.
 * @see proc_pid_status(5)
 */
export async function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  // A process that has ended has no such line.
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

export interface GitProcess {
  readonly pid: number;
  readonly command: string;
}

/** Lists the git processes that run on a repository of a data folder. */
export async function gitProcesses(dataFolder: string): Promise<GitProcess[]> {
  // Without waiting, because a thousand short reads through other threads take more CPU than what the tests measure.
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isGit(name));
  const found = await Promise.all(pids.map((pid) => gitProcess(pid, dataFolder)));
  return found.filter((process) => process !== undefined);
}

function isGit(pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).includes('git');
  } catch {
    // The process ended before, or belongs to the kernel or another user.
    return false;
  }
}

async function gitProcess(pid: string, dataFolder: string): Promise<GitProcess | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!environment.includes(`GIT_DIR=${dataFolder}`)) return undefined;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    return { pid: Number(pid), command: words.join(' ') };
  } catch {
    // The process ended during the reads.
    return undefined;
  }
}
