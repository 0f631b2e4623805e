import { ForgeError } from '../failure.ts';

/** Codes of the operating system, and of PostgreSQL (disk_full). */
const CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);
const SQLITE_FULL = 13;
/** What git and other programs print. */
const PRINTED = /No space left on device|[Dd]isk quota exceeded/;

/** Whether an operation failed because a disk, or the server's quota on it, is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isFull = CODES.has(code) || (code === 'ERR_SQLITE_ERROR' && errcode === SQLITE_FULL);
  return isFull || isDiskFull(error.cause);
}

/** The code for a program that ended with this standard error: `ENOSPC` if the disk was full. */
export function codeOfPrinted(stderr: string): 'ENOSPC' | undefined {
  return PRINTED.test(stderr) ? 'ENOSPC' : undefined;
}

export function diskFull(cause: unknown): ForgeError {
  const what = 'the disk of the server is full: try again later, or ask its administrator';
  return new ForgeError({ kind: 'insufficient_storage', what }, { cause });
}
