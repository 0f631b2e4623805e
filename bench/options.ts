import { parseArgs } from 'node:util';
import type { Size } from './model.ts';

export interface Options {
  /** null: start a server */
  readonly remote: {
    readonly url: string;
    readonly token: string;
    readonly password: string | null;
  } | null;
  /** ids of rows without their `@16`; null: all */
  readonly only: readonly string[] | null;
  readonly rounds: number;
  readonly size: Size;
  readonly isQuick: boolean;
  /** part of the file names of the results */
  readonly name: string;
  /** folder for the server's CPU profiles; null: none */
  readonly profileFolder: string | null;
}

const FULL: Size = {
  commits: 10_000,
  repositories: 1_000,
  notes: 10_000,
  roundMs: 1000,
  // Node needs tens of thousands of requests, and other rows in between undo a part, before a route reaches its full speed.
  warmUpMs: 3000,
  warmUpAgainMs: 1500,
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
  warmUpAgainMs: 50,
  writes: 16,
  pushes: 2,
  clones: 1,
  starts: 1,
};

export const USAGE = `npm run bench -- [options]

  --only ROWS          comma-separated ids, for example contents-10kb,bare-contents
  --quick              a small corpus and short rounds: does it run?
  --rounds N           how often to measure each row (default: 3; 2 with --quick)
  --name NAME          name of bench/results/DATE-NAME.{json,md} (default: run; quick with --quick)
  --url URL --token T  measure a running server
  --password P         password of the token's account, for the row that signs in with it
  --profile FOLDER     write CPU profiles of our server there (the results are not comparable)
  --help
`;

/** Invalid options of the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Parses the command line.
 *
 * @returns undefined for --help
 * @throws UsageError
 */
export function readOptions(words: readonly string[]): Options | undefined {
  const values = parseWords(words);
  if (values.help) return undefined;
  const isQuick = values.quick;
  const rounds = Number(values.rounds ?? (isQuick ? 2 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds must be a number from 1 on');
  const name = values.name ?? (isQuick ? 'quick' : 'run');
  if (!/^[\w.-]+$/.test(name))
    throw new UsageError('--name may contain only letters, digits, dots, dashes and underscores');
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
  if (url === undefined || token === undefined)
    throw new UsageError('--url needs --token, and --token needs --url');
  if (!/^http:\/\//.test(url)) throw new UsageError('--url must begin with http://');
  return { url, token, password: password ?? null };
}
