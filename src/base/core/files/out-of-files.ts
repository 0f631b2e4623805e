import { ForgeError } from '../failure.ts';

/** Codes of the operating system: this process, or all of them together, have too many files open. */
const FILES = new Set<unknown>(['EMFILE', 'ENFILE']);
/** There are too many processes, or too little memory for another one. */
const PROCESSES = new Set<unknown>([...FILES, 'EAGAIN', 'ENOMEM']);

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

/** Whether an operation failed because the server has too many files open. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && (FILES.has(codeOf(error)) || isOutOfFiles(error.cause));
}

/** Whether the system cannot start a process now, but may be able to later. */
export function isOutOfProcesses(error: Error | undefined): error is Error {
  return PROCESSES.has(codeOf(error));
}

export function tooManyFiles(cause: unknown): ForgeError {
  const what = 'the server has too many files or processes open: try again later';
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 1 }, { cause });
}
