import { isFailure } from '../../base/core/failure.ts';

/** Runs work on a repository. Returns undefined if the repository no longer exists. */
export async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isFailure(error, 'not_found')) return undefined;
    throw error;
  }
}
