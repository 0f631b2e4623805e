import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { startPostgres } from '../test/support/database/postgres.ts';
import { createPostgresDatabase } from '../test/support/database/postgres-databases.ts';
import { startForge } from '../testing/index.ts';
import { Forge } from './corpus/forge.ts';
import type { Ground, Subject, Work } from './growth/model.ts';
import { SUBJECTS } from './growth/subjects.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { median } from './statistics.ts';

// Measures the same work on something small and on something large: repositories, commits, refs, notes and others. Nothing
// should cost more because there is more of what was not asked for. Rounds of both sizes alternate. Server and client share
// one process, so the times include both.
//
//   node bench/growth.ts                 the embedded database, in about 20 minutes
//   node bench/growth.ts --postgres      a PostgreSQL server that it starts
//   --only refs                          one subject, or all whose names contain the text
//   --part 0.01                          a part of each large size: does it run?
//   --save                               keeps the results in bench/results/DATE-growth-ENGINE.md

const ROUNDS = 21;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});

interface Place extends Ground {
  /** Stops the server and starts it on the same data. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

const machine = describeMachine();
const engine = options.postgres ? 'postgres' : 'sqlite';
const postgres = options.postgres
  ? await startPostgres({ autovacuum: 'on', shared_buffers: '1GB', max_wal_size: '4GB' })
  : undefined;
const lines: string[] = [];
try {
  for (const subject of chosen(options.only)) await measure(subject);
} finally {
  await postgres?.stop();
}
if (options.save) save();

function chosen(text: string): readonly Subject[] {
  const named = SUBJECTS.filter(({ name }) => name === text);
  return named.length > 0 ? named : SUBJECTS.filter(({ name }) => name.includes(text));
}

/** Measures all work on a subject in both sizes. */
async function measure(subject: Subject): Promise<void> {
  const [small, large] = subject.sizes;
  const sizes = [small, Math.max(small, large * Number(options.part))];
  const places: Place[] = [];
  try {
    const works: (readonly Work[])[] = [];
    for (const size of sizes) {
      const place = await open();
      places.push(place);
      const startedAt = performance.now();
      const work = await subject.make(place, size);
      // PostgreSQL would do this within a minute.
      if (postgres !== undefined)
        await place.database.reader.executeQuery(CompiledQuery.raw('vacuum (analyze)'));
      works.push([...work, { about: 'starting the server', rounds: 3, run: () => place.restart() }]);
      print(
        `${count(size)} ${subject.name}: made in ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      );
    }
    const [onSmall = [], onLarge = []] = works;
    for (const [index, work] of onSmall.entries()) {
      const other = onLarge[index];
      if (other !== undefined) add(subject, sizes, await compared(work, other));
    }
  } finally {
    for (const place of places) await place.end();
  }
}

interface Compared {
  readonly work: Work;
  readonly small: Cost;
  readonly large: Cost;
}

async function compared(work: Work, other: Work): Promise<Compared> {
  const small: Cost[] = [];
  const large: Cost[] = [];
  // The first round warms up.
  for (let round = 0; round <= (work.rounds ?? ROUNDS); round += 1) {
    const costs = [await once(work), await once(other)] as const;
    if (round === 0) continue;
    small.push(costs[0]);
    large.push(costs[1]);
  }
  return { work, small: middle(small), large: middle(large) };
}

async function once(work: Work): Promise<Cost> {
  await work.prepare?.();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work.run();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1_000 };
}

function middle(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) };
}

function add(subject: Subject, sizes: readonly number[], { work, small, large }: Compared): void {
  const factor = large.ms / small.ms;
  const figures = [small.ms, large.ms, factor, small.cpuMs, large.cpuMs].map((each) => each.toFixed(2));
  const about = `${work.about}${work.mayGrow === true ? ' (may grow)' : ''}`;
  lines.push(`| ${sizes.map(count).join(' and ')} ${subject.name} | ${about} | ${figures.join(' | ')} |`);
  print(lines.at(-1) ?? '');
}

async function open(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-growth-'));
  const dataFolder = join(folder, 'data');
  const from = join(folder, 'from');
  await mkdir(from);
  const database = postgres === undefined ? undefined : await createPostgresDatabase(postgres.url);
  const start = () =>
    startForge({
      dataFolder,
      settings: { outboundAllow: '127.0.0.1' },
      ...(database === undefined ? {} : { databaseUrl: database.url }),
    });
  let running = await start();
  const { name, password, token } = running.admin;
  return {
    database: running.running.engines.database,
    git: running.running.engines.git,
    forge: new Forge(running.url, { login: name, password, token }),
    folder: from,
    restart: async () => {
      await running.stop();
      running = await start();
    },
    end: async () => {
      await running.stop();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function save(): void {
  const date = new Date().toISOString().slice(0, 10);
  const file = join(import.meta.dirname, `results/${date}-growth-${engine}.md`);
  const text = [
    `# ${date} growth, ${engine}`,
    '',
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, ${machine.git}, Quire ${machine.commit ?? 'of unknown commit'}.`,
    `Load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it: with more than ${machine.cores} it was not quiet.`,
    `\`node bench/growth.ts${options.postgres ? ' --postgres' : ''}\`: medians of ${ROUNDS} rounds that alternate between the sizes, fewer for slow work, in`,
    'milliseconds over HTTP or git. The CPU is that of client and server, without git and PostgreSQL. What may grow returns',
    'more when there is more.',
    '',
    '| of | work | small | large | factor | CPU, small | CPU, large |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines,
    '',
  ];
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
  writeFileSync(file, text.join('\n'));
  print(`kept as ${file}`);
}

function count(number: number): string {
  return number.toLocaleString('en');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
