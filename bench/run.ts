import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Corpus } from './corpus/corpus.ts';
import { type Forge, forgeAt, forgeByPassword } from './corpus/forge.ts';
import { GitShell } from './corpus/git-shell.ts';
import { LoadGenerator } from './load/generator.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { holdAgainstAims } from './report/aims.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { asMarkdown, type Report, saveReport } from './report/report.ts';
import { type Measurements, measure } from './rounds.ts';
import { ROWS } from './rows/index.ts';
import type { Bench, Row } from './rows/model.ts';
import { CLONES_TOGETHER } from './rows/transport.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { SERVER_REST_MS, ServerProcess } from './servers/server-process.ts';

/** Measures the server and prints a report: `npm run bench`. */
async function run(options: Options): Promise<void> {
  const machine = describeMachine();
  const startedAt = new Date();
  await withBench(options, async (bench) => {
    const afterStart = await memoryAtRest(bench, options);
    const { rounds, size, name } = options;
    const measurements = await measure(bench, chosenRows(options), { rounds, print });
    const afterWork = bench.server?.memoryMb() ?? null;
    const atEnd = await memoryAtRest(bench, options);
    const memory =
      afterStart === null || afterWork === null || atEnd === null
        ? null
        : {
            afterStartMb: afterStart.now,
            afterWorkMb: afterWork.now,
            atEndMb: atEnd.now,
            peakMb: atEnd.peak,
          };
    const report: Report = {
      name,
      startedAt: startedAt.toISOString(),
      tookSeconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
      machine,
      loadAfter: loadNow(),
      rounds,
      size,
      memory,
      aims: holdAgainstAims(measurements.rows, wasWhole(options, measurements) ? memory : null),
      ...measurements,
    };
    process.stdout.write(asMarkdown(report));
    print(`saved as ${saveReport(report)}.{json,md}`);
  });
}

type MemoryMb = NonNullable<ReturnType<ServerProcess['memoryMb']>>;

/** Returns the memory of a server that has rested. */
async function memoryAtRest({ server }: Bench, options: Options): Promise<MemoryMb | null> {
  if (server?.memoryMb() == null) return null;
  if (!options.isQuick) await sleep(SERVER_REST_MS);
  return server.memoryMb();
}

/** The aim for memory applies to a server that has run all rows. */
function wasWhole(options: Options, { rows }: Measurements): boolean {
  return options.only === null && rows.length > 0;
}

function chosenRows({ only }: Options): readonly Row[] {
  if (only === null) return ROWS;
  const nameOf = (row: Row) => row.id.replace(/@.*/, '');
  const unknown = only.filter((name) => !ROWS.some((row) => nameOf(row) === name || row.id === name));
  if (unknown.length > 0) {
    const known = [...new Set(ROWS.map(nameOf))].join(', ');
    throw new UsageError(`unknown row ${unknown.join(', ')}: choose from ${known}`);
  }
  return ROWS.filter((row) => only.includes(nameOf(row)) || only.includes(row.id));
}

async function withBench(options: Options, work: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  const load = new LoadGenerator();
  const shells = startShells();
  let server: ServerProcess | null = null;
  let forge: Forge | null = null;
  try {
    const { remote, size, profileFolder } = options;
    if (remote === null) {
      await mkdir(join(folder, 'server'));
      server = await ServerProcess.start(quireCommand(join(folder, 'server'), profileFlags(profileFolder)));
      forge = await forgeByPassword(server.url, ADMINISTRATOR.login, ADMINISTRATOR.password);
    } else forge = await forgeAt(remote.url, remote.token, remote.password);
    const corpus = new Corpus(forge, folder, size);
    await work({ forge, corpus, server, load, shells, folder, size });
  } finally {
    load.stop();
    for (const shell of shells) shell.stop();
    if (server === null) await forge?.removeMade();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startShells(): Bench['shells'] {
  const others = Array.from({ length: CLONES_TOGETHER - 1 }, () => new GitShell());
  return [new GitShell(), ...others];
}

function profileFlags(folder: string | null): readonly string[] {
  return folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

/** Prints progress to standard error. Standard output has only the result. */
function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(USAGE);
  else await run(options);
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${USAGE}`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
