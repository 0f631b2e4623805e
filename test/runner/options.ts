import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

export type DatabaseName = 'sqlite' | 'postgres';

export interface Options {
  readonly databases: readonly DatabaseName[];
  /** files, folders and globs; empty: the whole suite */
  readonly paths: readonly string[];
  /** only tests whose name contains this text */
  readonly only: string | undefined;
  /** number of files that run at a time */
  readonly parallel: number;
}

export const USAGE = `npm test -- [options] [file, folder or glob ...]

  --database sqlite|postgres   one database instead of both
  --only TEXT                  only tests whose name contains TEXT
  --parallel N                 number of files that run at a time
  --help

DATABASE_URL names a PostgreSQL server on which the tests may create databases;
without it they start their own.`;

/** Each process takes up to 700 MiB. */
const PARALLEL_DEFAULT_MAX = 4;

/** The options are wrong. The message is for the user. */
export class UsageError extends Error {}

/** @returns undefined if the user asks for help */
export function parseOptions(argv: readonly string[]): Options | undefined {
  const { values, positionals } = parse(argv);
  if (values.help === true) return undefined;
  return {
    databases: databasesOf(values.database),
    paths: positionals,
    only: values.only,
    parallel: parallelOf(values.parallel),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        database: { type: 'string' },
        only: { type: 'string' },
        parallel: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function databasesOf(name: string | undefined): readonly DatabaseName[] {
  if (name === undefined) return ['sqlite', 'postgres'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new UsageError(`--database must be sqlite or postgres, not ${name}`);
}

function parallelOf(text: string | undefined): number {
  // One more than there are processors, because tests also wait for git, for the disk and for time to pass. Two more take
  // more CPU and memory, and no less time.
  if (text === undefined) return Math.min(availableParallelism() + 1, PARALLEL_DEFAULT_MAX);
  if (!/^[1-9][0-9]?$/.test(text))
    throw new UsageError(`--parallel must be a number from 1 to 99, not ${text}`);
  return Number(text);
}

/**
 * Finds the test files that the arguments name, sorted, relative to `root`.
 *
 * @throws UsageError if an argument matches no test file
 */
export function findTestFiles(root: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return expand(root, 'test');
  const files = new Set<string>();
  for (const name of paths) {
    const found = expand(root, name);
    if (found.length === 0) throw new UsageError(`no test file: ${name}`);
    for (const file of found) files.add(file);
  }
  return [...files].sort();
}

function expand(root: string, name: string): readonly string[] {
  const isFolder = statSync(path.resolve(root, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const pattern = isFolder ? path.join(name, '**/*.test.ts') : name;
  return globSync(pattern, { cwd: root })
    .map((file) => path.relative(root, path.resolve(root, file)))
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
}
