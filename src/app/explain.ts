import { ForgeError } from '../base/core/failure.ts';
import { printable } from '../base/core/text/text.ts';
import { DatabaseTooNewError } from '../base/database/too-new.ts';
import { GitUnusableError } from '../git/processes/git-version.ts';
import { ConfigError } from './config.ts';

/** Errors with a message for the operator. */
const EXPECTED_ERRORS = [ConfigError, DatabaseTooNewError, GitUnusableError];

/** Codes by which the API rejects a field, and what the command line prints instead. */
const FIELD_PROBLEMS: readonly (readonly [code: RegExp, text: string])[] = [
  [/^\[Username\]: Required$/, 'the name is empty'],
  [/^\[Username\]: MaxSize\((\d+)\)$/, 'the name is too long: use at most $1 characters'],
  [
    /^\[Username\]: AlphaDashDot$/,
    'invalid name: use letters and digits, with single "-", "_" or "." between them',
  ],
  [/^\[Email\]: Email$/, 'invalid e-mail address: use the form name@example.org'],
];

/** Describes an error in one line. An unexpected error keeps its stack, so that you can report it. */
export function explain(error: unknown): string {
  if (EXPECTED_ERRORS.some((type) => error instanceof type)) return `quire: ${(error as Error).message}`;
  if (error instanceof ForgeError) return `quire: ${printable(withoutCodes(error.message))}`;
  if (isConnectionProblem(error)) {
    const why = connectionProblem(error);
    return `quire: the database cannot be reached: ${why} (check --database-url and that PostgreSQL runs)`;
  }
  return `quire: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function withoutCodes(message: string): string {
  const problem = FIELD_PROBLEMS.find(([code]) => code.test(message));
  return problem === undefined ? message : message.replace(problem[0], problem[1]);
}

const CONNECTION_CODES = /^(?:ECONN|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|28|3D|57P)/;

function isConnectionProblem(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && CONNECTION_CODES.test(code)) || /timeout.*connect/i.test(error.message);
}

/** Returns the first message: a host name with several addresses fails once for each, in an error without a message. */
function connectionProblem(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}
