import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { cpuMsOf } from './runner/cpu-time.ts';
import {
  type DatabaseName,
  findTestFiles,
  type Options,
  parseOptions,
  USAGE,
  UsageError,
} from './runner/options.ts';
import { type Task, tasksOf } from './runner/plan.ts';
import { Report } from './runner/report.ts';
import { TestProcess } from './runner/test-process.ts';
import type { PostgresServer } from './support/database/postgres.ts';
import { memoryFolder } from './support/memory-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Variables of the caller that would change the outcome of a test. */
const NOT_PASSED_ON = /^(GIT_|PG|NODE_TEST_|QUIRE_(?!TEST_)|(QUIRE_TEST_)?DATABASE_URL$)/;
/** Room in memory for everything that the tests write at a time, with a reserve. */
const MEMORY_BYTES_NEEDED = 4 * 2 ** 30;
/** Bounds the memory of a process. Each new process costs a second of CPU to load the server, and more until it is warm. */
const FILES_PER_PROCESS_MAX = 120;

interface Run {
  readonly id: string;
  readonly options: Options;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly folders: Folders;
}

/** The PostgreSQL server of a run, at the address that tests use. */
type ServerOfRun = Pick<PostgresServer, 'url' | 'cpuMs' | 'stop'>;

/** Folders where tests write. The run removes both, so that nothing remains of a test that was killed. */
interface Folders {
  readonly disk: string;
  /** in memory if possible, because most tests wait for the disk otherwise */
  readonly fast: string;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    print(USAGE);
    return 0;
  }
  const files = findTestFiles(ROOT, options.paths);
  const interrupt = listenForInterrupts();
  const report = new Report(print);
  const folders = makeFolders();
  const id = randomBytes(4).toString('hex');
  try {
    await runTasks(
      { id, options, report, signal: interrupt.signal, folders },
      tasksOf(files, options.databases),
    );
  } catch (error) {
    report.addProblem('the run itself', describe(error));
  } finally {
    for (const folder of Object.values(folders))
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    report.end();
  }
  return interrupt.exitCode() ?? (report.isGood ? 0 : 1);
}

function makeFolders(): Folders {
  const make = (parent: string) => mkdtempSync(path.join(parent, 'quire-test-'));
  const fastParent = memoryFolder({ bytesNeeded: MEMORY_BYTES_NEEDED }) ?? tmpdir();
  return { disk: make(tmpdir()), fast: make(fastParent) };
}

/** Ends the run in order at the first SIGINT, SIGTERM or SIGHUP. */
function listenForInterrupts(): { signal: AbortSignal; exitCode(): number | undefined } {
  const controller = new AbortController();
  let code: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      code ??= 128 + constants.signals[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, exitCode: () => code };
}

/** Runs each file on each of its databases. */
async function runTasks(run: Run, tasks: Task[]): Promise<void> {
  const startedAt = performance.now();
  run.report.begin(tasks);
  const server = await openServer(run, tasks);
  try {
    const url = server?.url;
    // Without a server, the report has the reason.
    const waiting = url === undefined ? tasks.filter(({ database }) => database !== 'postgres') : tasks;
    const environments = {
      sqlite: {},
      postgres: url === undefined ? {} : { QUIRE_TEST_DATABASE_URL: url },
    };
    await Promise.all(
      Array.from({ length: run.options.parallel }, () => runWaiting({ ...run, environments }, waiting)),
    );
  } finally {
    const cpu = { all: cpuMsOf(process.pid), postgres: server?.cpuMs() };
    await server?.stop();
    run.report.endTasks(performance.now() - startedAt, cpu);
  }
}

/** Starts PostgreSQL if a task needs it. A failure to start counts as a failed test. */
async function openServer(run: Run, tasks: readonly Task[]): Promise<ServerOfRun | undefined> {
  if (!tasks.some(({ database }) => database === 'postgres')) return undefined;
  try {
    return await startOrUseServer(run);
  } catch (error) {
    run.report.addProblem('PostgreSQL for the tests', describe(error));
    return undefined;
  }
}

/**
 * Starts a server for this run, or uses the one that DATABASE_URL names. Runs without it do not load its modules, which
 * takes a third of a second of CPU.
 */
async function startOrUseServer(run: Run): Promise<ServerOfRun> {
  const url = process.env.DATABASE_URL;
  if (url === undefined || url === '') {
    const { startPostgres } = await import('./support/database/postgres.ts');
    const server = await startPostgres();
    return { ...server, url: server.socketUrl };
  }
  const { dropDatabasesOf } = await import('./support/database/postgres-databases.ts');
  await dropDatabasesOf(url, run.id);
  return { url, cpuMs: () => undefined, stop: () => dropDatabasesOf(url, run.id) };
}

/** A run whose databases are ready. */
interface ReadyRun extends Run {
  /** variables that name the database to tests */
  readonly environments: Readonly<Record<DatabaseName, NodeJS.ProcessEnv>>;
}

/** Runs waiting tasks, one at a time, until none is left. */
async function runWaiting(run: ReadyRun, waiting: Task[]): Promise<void> {
  let shared: { readonly process: TestProcess; readonly database: DatabaseName } | undefined;
  const endShared = async () => {
    if (shared !== undefined) await endProcess(run, shared.process);
    shared = undefined;
  };
  for (let task = waiting.shift(); task !== undefined && !run.signal.aborted; task = waiting.shift()) {
    const { file, database } = task;
    if (task.isAlone) {
      await runAlone(run, task);
      continue;
    }
    if (shared?.database !== database) await endShared();
    shared ??= { process: startProcess(run, database, run.folders.fast), database };
    run.report.addFile(database, await shared.process.run(file));
    const { isReusable, files } = shared.process;
    if (!isReusable || files.length >= FILES_PER_PROCESS_MAX) await endShared();
  }
  await endShared();
}

async function runAlone(run: ReadyRun, { file, database, isOnDisk }: Task): Promise<void> {
  const process = startProcess(run, database, isOnDisk ? run.folders.disk : run.folders.fast);
  run.report.addFile(database, await process.run(file));
  await endProcess(run, process);
}

function startProcess(run: ReadyRun, database: DatabaseName, folder: string): TestProcess {
  const env = { ...environment(run, folder), ...run.environments[database] };
  return new TestProcess({ root: ROOT, env, only: run.options.only, signal: run.signal });
}

async function endProcess(run: Run, process: TestProcess): Promise<void> {
  const problem = await process.end();
  if (problem !== undefined) run.report.addProblem(`the process of ${process.files.join(', ')}`, problem);
}

function environment(run: Run, folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name));
  const temporary = path.join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    ...Object.fromEntries(kept),
    QUIRE_TEST_RUN: run.id,
    QUIRE_TEST_FOLDER: run.folders.fast,
    TMPDIR: temporary,
    // Each start of git copies the page tables of the process. Huge pages need fewer, and with these variables of
    // `npm start`, freed memory returns to the system (docs/decisions/0017).
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
    NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/quire-tests'),
    // git must not read the settings of the person who runs the tests, nor ask them for a password.
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main();
} catch (error) {
  print(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : String(error));
  print('0 passed, 1 failed');
  process.exitCode = 1;
}
