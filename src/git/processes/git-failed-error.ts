import { codeOfPrinted } from '../../base/core/files/disk-full.ts';

/** A git command failed unexpectedly. Its message may contain paths of this machine, so it belongs only in the log. */
export class GitFailedError extends Error {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** as of a system error: `ENOSPC` if the disk was full */
  readonly code: string | undefined;

  constructor(subcommand: string, exit: { exitCode: number | null; stderr: string }) {
    super(`git ${subcommand} ended with ${exit.exitCode ?? 'a signal'}: ${exit.stderr}`);
    this.name = 'GitFailedError';
    this.exitCode = exit.exitCode;
    this.stderr = exit.stderr;
    this.code = codeOfPrinted(exit.stderr);
  }
}

/** Returns whether git was ended by the deadline, or because it printed too much, or ran out of memory. */
export function wasTooMuch(exit: { readonly exitCode: number | null; readonly stderr: string }): boolean {
  return exit.exitCode === null || ranOutOfMemory(exit);
}

/** Returns whether an error says that git was ended by a limit of its time, output or memory. */
export function failedByLimit(error: unknown): error is GitFailedError {
  return error instanceof GitFailedError && wasTooMuch(error);
}

/** Returns whether git ended because it may not allocate more memory. */
export function ranOutOfMemory(exit: { readonly stderr: string }): boolean {
  return /out of memory|cannot allocate memory/i.test(exit.stderr);
}
