import { type ForgeError, invalid } from '../../base/core/failure.ts';

/** The error for a commit from which the server builds no archive. */
export function tooLargeForArchive(cause?: unknown): ForgeError {
  return invalid('this commit is too large for an archive: clone the repository instead', { cause });
}
