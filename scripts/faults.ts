import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { Counts, formatCounts } from '../test/faults/counts.ts';
import { KILLS, type Kill } from '../test/faults/kills.ts';
import { Trial } from '../test/faults/trial.ts';
import type { Cleanup } from '../test/support/after-test.ts';
import { type PostgresServer, startPostgres } from '../test/support/database/postgres.ts';
import { createPostgresDatabase } from '../test/support/database/postgres-databases.ts';

// Kills servers under load and counts the losses: `npm run faults`. docs/crash-safety.md explains it.

const USAGE = `npm run faults -- [--times 20] [--database sqlite|postgres|both] [--only NAME]...
  --times     how often to kill a server in each way, on each database
  --database  which databases to use
  --only      name of one way of killing; repeat it for several`;
const PROBLEMS_SHOWN = 10;
const ANYWHERE_MS_MAX = 4_000;

class UsageError extends Error {}

interface Options {
  readonly times: number;
  readonly databases: readonly ('sqlite' | 'postgres')[];
  readonly kills: readonly Kill[];
}

/** @throws UsageError */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '20' },
      database: { type: 'string', default: 'both' },
      only: { type: 'string', multiple: true },
    },
  });
  const { only, database } = values;
  if (!/^[1-9]\d{0,4}$/.test(values.times))
    throw new UsageError(`--times must be a number from 1 to 99999, not ${values.times}`);
  const kills = only === undefined ? KILLS : KILLS.filter(({ name }) => only.includes(name));
  if (kills.length === 0)
    throw new UsageError(`unknown --only: choose from ${KILLS.map(({ name }) => name).join(', ')}`);
  if (database !== 'both' && database !== 'sqlite' && database !== 'postgres') {
    throw new UsageError(`--database must be sqlite, postgres or both, not ${database}`);
  }
  const databases: Options['databases'] = database === 'both' ? ['sqlite', 'postgres'] : [database];
  return { times: Number(values.times), databases, kills };
}

/** Cleanup work, in reverse order of registration. */
class Undo implements Cleanup {
  static readonly #open = new Set<Undo>();
  readonly #works: (() => unknown)[] = [];

  constructor() {
    Undo.#open.add(this);
  }

  static async runAll(): Promise<void> {
    for (const undo of Undo.#open) await undo.run();
  }

  after(work: () => unknown): void {
    this.#works.unshift(work);
  }

  async run(): Promise<void> {
    for (const work of this.#works.splice(0)) await work();
    Undo.#open.delete(this);
  }
}

/** Counts of all trials so far, including the running one. */
const all: Counts[] = [];

async function runTrial(kill: Kill, times: number, server: PostgresServer | undefined): Promise<Counts> {
  const undo = new Undo();
  const counts = new Counts(server === undefined ? 'sqlite' : 'postgres', kill.name);
  all.push(counts);
  try {
    const database = server === undefined ? undefined : await createPostgresDatabase(server.url);
    if (database !== undefined) undo.after(() => database.drop());
    const trial = await Trial.prepare(undo, database && { kind: 'url', url: database.url });
    for (let time = 1; time <= times; time += 1) {
      const doctor = time % 2 === 0 ? 'before start' : 'after stop';
      const round = await trial.round(kill, {
        anywhereMsMax: ANYWHERE_MS_MAX,
        doctor,
        recovery: 'separate process',
      });
      counts.add(round);
      for (const { kind, text } of round.problems.slice(0, PROBLEMS_SHOWN)) {
        print(`  ${kill.name}, ${time}: ${kind}: ${text}`);
      }
    }
    return counts;
  } finally {
    await undo.run();
  }
}

async function runOn(database: 'sqlite' | 'postgres', options: Options): Promise<void> {
  const server = database === 'postgres' ? await startPostgres() : undefined;
  try {
    for (const kill of options.kills) {
      const startedAt = performance.now();
      const counts = await runTrial(kill, options.times, server);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      print(`${counts.cells().join(', ')}; ${seconds} s`);
    }
  } finally {
    await server?.stop();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    isInterrupted = true;
    print(`\n${formatCounts(all)}`);
    await Undo.runAll();
    process.exit(128 + constants.signals[signal]);
  });
}

try {
  const options = readOptions();
  for (const database of options.databases) await runOn(database, options);
  print(`\n${formatCounts(all)}`);
  process.exitCode = all.every((counts) => counts.isGood) ? 0 : 1;
} catch (error) {
  // The interrupt ended servers and databases in use, so errors are expected.
  if (isInterrupted) await new Promise(() => {});
  if (!(error instanceof UsageError)) throw error;
  print(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
