import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, devNull, tmpdir } from 'node:os';
import path from 'node:path';
import {
  type DatabaseName,
  findTestFiles,
  type Options,
  parseOptions,
  USAGE,
  UsageError,
} from './runner/options.ts';
import { isAlone, isOnDisk, longestFirst, usesDatabase } from './runner/plan.ts';
import { Report } from './runner/report.ts';
import { TestProcess } from './runner/test-process.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { type PostgresServer, startPostgres } from './support/postgres.ts';
import { dropDatabasesOf } from './support/postgres-databases.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Variables of the caller that would change the outcome of a test. */
const NOT_PASSED_ON = /^(GIT_|PG|NODE_TEST_|QUIRE_(?!TEST_)|(QUIRE_TEST_)?DATABASE_URL$)/;
/** Room in memory for everything that the tests write at a time, with a reserve. */
const MEMORY_BYTES_NEEDED = 4 * 2 ** 30;
/** Bounds the memory of a process. Each new process costs a second of CPU to load the server, and more until it is warm. */
const FILES_PER_PROCESS_MAX = 20;

interface Run {
  readonly id: string;
  readonly options: Options;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly folders: Folders;
}

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
    await runPasses({ id, options, report, signal: interrupt.signal, folders }, files);
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

async function runPasses(run: Run, files: readonly string[]): Promise<void> {
  const [first] = run.options.databases;
  for (const database of run.options.databases) {
    const inPass = database === first ? files : files.filter(usesDatabase);
    if (inPass.length === 0 || run.signal.aborted) continue;
    if (database === 'sqlite') await runPass(run, { database, files: inPass, env: {} });
    else await runPostgresPass(run, inPass);
  }
}

async function runPostgresPass(run: Run, files: readonly string[]): Promise<void> {
  const database = 'postgres';
  let server: PostgresServer;
  try {
    server = await openServer(run);
  } catch (error) {
    run.report.addProblem('PostgreSQL for the tests', describe(error));
    return;
  }
  try {
    await runPass(run, { database, files, env: { QUIRE_TEST_DATABASE_URL: server.url } });
  } finally {
    await server.stop();
  }
}

/** Starts a server for this run, or uses the one that DATABASE_URL names. */
async function openServer(run: Run): Promise<PostgresServer> {
  const url = process.env.DATABASE_URL;
  if (url === undefined || url === '') return startPostgres();
  await dropDatabasesOf(url, run.id);
  return { url, stop: () => dropDatabasesOf(url, run.id) };
}

interface Pass {
  readonly database: DatabaseName;
  readonly files: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

async function runPass(run: Run, pass: Pass): Promise<void> {
  const startedAt = performance.now();
  run.report.beginPass(pass.database, pass.files.length);
  const waiting = longestFirst(pass.files);
  await Promise.all(Array.from({ length: run.options.parallel }, () => runFiles(run, pass, waiting)));
  run.report.endPass(pass.database, performance.now() - startedAt);
}

/** Runs waiting files, one at a time, until none is left. */
async function runFiles(run: Run, pass: Pass, waiting: string[]): Promise<void> {
  let shared: TestProcess | undefined;
  for (let file = waiting.shift(); file !== undefined && !run.signal.aborted; file = waiting.shift()) {
    if (isAlone(file)) {
      await runAlone(run, pass, file);
      continue;
    }
    shared ??= startProcess(run, pass, run.folders.fast);
    run.report.addFile(pass.database, await shared.run(file));
    if (shared.isReusable && shared.files.length < FILES_PER_PROCESS_MAX) continue;
    await endProcess(run, shared);
    shared = undefined;
  }
  if (shared !== undefined) await endProcess(run, shared);
}

async function runAlone(run: Run, pass: Pass, file: string): Promise<void> {
  const process = startProcess(run, pass, isOnDisk(file) ? run.folders.disk : run.folders.fast);
  run.report.addFile(pass.database, await process.run(file));
  await endProcess(run, process);
}

function startProcess(run: Run, pass: Pass, folder: string): TestProcess {
  const env = { ...environment(run, folder), ...pass.env };
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
