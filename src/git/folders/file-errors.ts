/** Whether a file system call failed with one of these codes, such as `ENOENT`. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && codes.includes(code);
}

export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
