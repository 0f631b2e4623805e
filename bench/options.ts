import { parseArgs } from 'node:util';
import type { Size } from './model.ts';

export interface Options {
  /** null: a server of our own is started */
  readonly remote: {
    readonly url: string;
    readonly token: string;
    readonly password: string | null;
  } | null;
  /** ids of rows without their `@8`; null: all */
  readonly only: readonly string[] | null;
  readonly rounds: number;
  readonly size: Size;
  readonly isQuick: boolean;
  /** part of the names of the results */
  readonly name: string;
  /** where the server writes profiles of its CPU time; null: it does not */
  readonly profileFolder: string | null;
}

const FULL: Size = {
  commits: 10_000,
  repositories: 1_000,
  notes: 10_000,
  roundMs: 600,
  // Node needs thousands of requests before the code of a route is as quick as it gets.
  warmUpMs: 1500,
  writes: 40,
  pushes: 5,
  clones: 2,
  starts: 3,
};

const QUICK: Size = {
  commits: 500,
  repositories: 50,
  notes: 500,
  roundMs: 200,
  warmUpMs: 100,
  writes: 16,
  pushes: 2,
  clones: 1,
  starts: 1,
};

export const USAGE = `npm run bench -- [options]

  --only ROWS          ids with commas between, for example contents-10kb,bare-contents
  --quick              a small corpus and short rounds: does it run?
  --rounds N           how often each row is measured (5; 2 with --quick)
  --name NAME          results go to bench/results/DATE-NAME.{json,md} (run; quick with --quick)
  --url URL --token T  measure a server that runs already
  --password P         of the account of that token, for the row that signs in by password
  --profile FOLDER     let our server write CPU profiles there (such results are not comparable)
  --help
`;

/** What was asked for cannot be done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * @returns undefined where help was asked for
 * @throws UsageError
 */
export function readOptions(words: readonly string[]): Options | undefined {
  const values = parseWords(words);
  if (values.help) return undefined;
  const isQuick = values.quick;
  const rounds = Number(values.rounds ?? (isQuick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds takes a number from 1');
  const name = values.name ?? (isQuick ? 'quick' : 'run');
  if (!/^[\w.-]+$/.test(name)) throw new UsageError('--name takes letters, digits, dots and dashes');
  return {
    remote: remoteOf(values),
    only: values.only?.split(',') ?? null,
    rounds,
    size: isQuick ? QUICK : FULL,
    isQuick,
    name,
    profileFolder: values.profile ?? null,
  };
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        name: { type: 'string' },
        url: { type: 'string' },
        token: { type: 'string' },
        password: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function remoteOf(values: {
  readonly url?: string;
  readonly token?: string;
  readonly password?: string;
}): Options['remote'] {
  const { url, token, password } = values;
  if (url === undefined && token === undefined) return null;
  if (url === undefined || token === undefined) throw new UsageError('--url and --token belong together');
  if (!/^http:\/\//.test(url)) throw new UsageError('--url takes an address that begins with http://');
  return { url, token, password: password ?? null };
}
