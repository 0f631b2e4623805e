const CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Whether an operation of the file system failed because the disk, or the server's quota on it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
