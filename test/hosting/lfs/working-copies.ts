import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { git, temporaryFolder, workingCopy } from '../../support/git/git.ts';

/** Why the tests that need git-lfs are skipped; false if they are not. */
export const whyNoGitLfs =
  spawnSync('git', ['lfs', 'version']).status === 0 ? false : 'git-lfs is not installed';

/** Creates a working copy in which git-lfs keeps files that end with `.bin`. */
export async function largeFilesCopy(t: TestContext): Promise<string> {
  const folder = await workingCopy(t);
  await git(folder, ['lfs', 'install', '--local']);
  await writeFile(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text lockable\n');
  return folder;
}

export async function clone(
  t: TestContext,
  remote: string,
  config: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const parent = await temporaryFolder(t);
  await git(parent, ['clone', '-q', ...config.flatMap((each) => ['-c', each]), remote, 'copy'], {
    environment: { ...environment, GIT_LFS_SKIP_SMUDGE: '1' },
  });
  const folder = join(parent, 'copy');
  await git(folder, ['lfs', 'install', '--local']);
  return folder;
}
