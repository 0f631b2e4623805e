import { GIT_LIMITS } from '../limits.ts';
import type { GitCommand } from '../processes/child.ts';
import { GitFailedError, ranOutOfMemory } from '../processes/git-failed-error.ts';

/** @see git-config(1), core.bigFileThreshold */
const WITHOUT_LARGE_FILES = `core.bigFileThreshold=${GIT_LIMITS.largeFileBytesMin}`;

/**
 * Lets git compare files within its limit of memory. If the limit is too low, git compares again, and treats large files
 * as binary ones, whose lines it does not compare.
 *
 * @param compare.isWhole whether git compares large files, too
 * @throws the errors of `compare`, which throws GitFailedError if git has ended with a failure
 */
export async function withinMemory<Result>(
  command: GitCommand,
  compare: (command: GitCommand, compared: { readonly isWhole: boolean }) => Promise<Result>,
): Promise<Result> {
  const limited = { ...command, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax };
  try {
    return await compare(limited, { isWhole: true });
  } catch (error) {
    if (!(error instanceof GitFailedError) || !ranOutOfMemory(error)) throw error;
    const settings = [...(command.settings ?? []), WITHOUT_LARGE_FILES];
    return compare({ ...limited, settings }, { isWhole: false });
  }
}
