import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { runFile } from './runner/file.ts';
import {
  type DatabaseName,
  findTestFiles,
  type Options,
  parseOptions,
  USAGE,
  UsageError,
} from './runner/options.ts';
import { Report } from './runner/report.ts';
import { type PostgresServer, startPostgres } from './support/postgres.ts';
import { dropDatabasesOf } from './support/postgres-databases.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Folders of tests that open no database: they run once. */
const WITHOUT_DATABASE = ['test/tidy/', 'test/core/', 'test/runner/'];

/** What of the caller's environment would make a test's outcome depend on the caller. */
const NOT_PASSED_ON = /^(GIT_|PG|NODE_TEST_|QUIRE_(?!TEST_)|(QUIRE_TEST_)?DATABASE_URL$)/;

interface Run {
  readonly id: string;
  readonly options: Options;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly folder: string;
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
  const files = findTestFiles(ROOT, options.wanted);
  const interrupt = listenForInterrupts();
  const report = new Report(print);
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-test-'));
  const id = randomBytes(4).toString('hex');
  try {
    await runPasses({ id, options, report, signal: interrupt.signal, folder }, files);
  } catch (error) {
    report.addProblem('the run itself', describe(error));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    report.end();
  }
  return interrupt.exitCode() ?? (report.isGood ? 0 : 1);
}

/** The first SIGINT, SIGTERM or SIGHUP ends the run in order. */
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
  const usesDatabase = files.filter((file) => !WITHOUT_DATABASE.some((folder) => file.startsWith(folder)));
  for (const database of run.options.databases) {
    const inPass = database === first ? files : usesDatabase;
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

/** A server of the tests' own, or the one that DATABASE_URL names. */
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
  const env = { ...environment(run), ...pass.env };
  const waiting = [...pass.files];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined && !run.signal.aborted; file = waiting.shift()) {
      const { only } = run.options;
      run.report.addFile(pass.database, await runFile(file, { root: ROOT, env, only, signal: run.signal }));
    }
  };
  await Promise.all(Array.from({ length: run.options.parallel }, work));
  run.report.endPass(pass.database, performance.now() - startedAt);
}

function environment(run: Run): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name));
  // Whatever a test leaves behind, even one that was killed, goes with the folder of the run.
  const temporary = path.join(run.folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    ...Object.fromEntries(kept),
    QUIRE_TEST_RUN: run.id,
    TMPDIR: temporary,
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
