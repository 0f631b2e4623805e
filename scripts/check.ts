import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

// The checks that do not run the server: `npm run check`. Each check runs to its end even if another one fails, so that
// one run shows every problem. `--no-tests` leaves out the tidy tests, which `npm test` runs, too.

const ROOT = path.resolve(import.meta.dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
/** Biome shows 20 problems of a kind by default. */
const PROBLEMS_MAX = 200;

interface Check {
  readonly name: string;
  /** a program that this Node runs, and its arguments */
  readonly command: readonly [string, ...string[]];
}

const CHECKS: readonly Check[] = [
  {
    name: 'types',
    command: [
      path.join(MODULES, 'typescript-7/bin/tsc'),
      ...['-p', '.', '--pretty', 'false'],
      // Several checkers repeat each other's work: four take twice the CPU of one, and no less time on two processors.
      ...['--checkers', '1'],
    ],
  },
  {
    name: 'format and lint',
    command: [
      path.join(MODULES, '@biomejs/biome/bin/biome'),
      'check',
      '--error-on-warnings',
      `--max-diagnostics=${PROBLEMS_MAX}`,
      '.',
    ],
  },
  {
    name: 'import order',
    command: [
      path.join(MODULES, 'dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      ...['src', 'testing', 'test', 'bench', 'scripts'].filter((folder) =>
        existsSync(path.join(ROOT, folder)),
      ),
    ],
  },
];

const TIDY_TESTS: Check = {
  name: 'tidy tests',
  command: [path.join(ROOT, 'test/run.ts'), '--database', 'sqlite', 'test/tidy'],
};

interface Outcome {
  readonly check: Check;
  readonly isGood: boolean;
  readonly output: string;
}

async function run(check: Check): Promise<Outcome> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...check.command], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  child.once('error', reject);
  child.once('close', (code) => resolve(code === 0));
  const isGood = await promise;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  print(`${isGood ? 'ok  ' : 'FAIL'} ${check.name.padEnd(16)} ${seconds} s`);
  return { check, isGood, output: output.trim() };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const checks = process.argv.includes('--no-tests') ? CHECKS : [...CHECKS, TIDY_TESTS];
const outcomes = await Promise.all(checks.map(run));
const failed = outcomes.filter((outcome) => !outcome.isGood);
for (const { check, output } of failed) print(`\n${check.name}:\n${output}`);
if (failed.length > 0) print(`\n${failed.map(({ check }) => check.name).join(', ')}: failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
