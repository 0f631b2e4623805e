import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, copyOf, git, workingCopy } from '../../support/git/git.ts';

export const LOOM = '/api/v1/repos/ada/loom';
/** Times, in seconds: all commits of the history that `weave` copies are between them. */
const [WOVEN_FROM, WOVEN_BEFORE] = [1_700_000_000, 1_700_010_000];

export interface Loom {
  readonly forge: TestForge;
  readonly ada: Person;
  /** a clone that git can be asked about */
  readonly folder: string;
  /** Returns what git prints. */
  ask(...args: readonly string[]): Promise<string>;
  /** Returns what `git rev-list` prints, line by line. */
  listed(...args: readonly string[]): Promise<readonly string[]>;
  /** Writes files, and commits them a minute after the last commit. `null` deletes a file. */
  commit(message: string, files: Readonly<Record<string, string | Buffer | null>>): Promise<string>;
  merge(name: string, ...options: readonly string[]): Promise<void>;
  push(...refs: readonly string[]): Promise<void>;
}

/** A repository that is empty on the server, and a clone in which to make commits. Each commit is a minute later. */
export async function startLoom(t: TestContext): Promise<Loom> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const folder = await workingCopy(t);
  return {
    forge,
    ada,
    ...workIn(folder, { after: WOVEN_BEFORE }),
    push: async (...refs) => {
      await git(folder, ['push', '-q', ada.remote('ada/loom'), ...refs]);
    },
  };
}

type Work = Omit<Loom, 'forge' | 'ada' | 'push'>;

/** @param options.after the time of the commit before the first one, in seconds */
function workIn(folder: string, { after }: { after: number }): Work {
  let seconds = after;
  const dated = () => {
    seconds += 60;
    const date = `${seconds} +0000`;
    return { environment: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } };
  };
  const ask = (...args: readonly string[]) => git(folder, [...args]);
  return {
    folder,
    ask,
    listed: async (...args) => (await ask('rev-list', ...args)).split('\n').filter((line) => line !== ''),
    async commit(message, files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        await mkdir(join(file, '..'), { recursive: true });
        if (content === null) await rm(file);
        else await writeFile(file, content);
      }
      return commitAll(folder, message, dated());
    },
    async merge(name, ...options) {
      await git(folder, ['merge', '-q', '--no-ff', '-m', `Merge ${name}`, ...options, name], dated());
    },
  };
}

/**
 * Gives an empty clone a history with a merge, a rename, a binary file, a deleted file that comes back, and names with
 * spaces.
 */
export async function weave({ folder }: Loom): Promise<void> {
  await copyWoven(folder);
}

const copyWoven = copyOf(async (folder) => {
  await git(folder, ['init', '-q', '-b', 'main']);
  const { commit, merge, ask } = workIn(folder, { after: WOVEN_FROM });
  await commit('Begin', { 'a.txt': 'one\n', 'docs/plan.md': 'plan\n', 'old name.txt': 'kept\nas\nit\nis\n' });
  await commit('Change a', { 'a.txt': 'one\ntwo\n' });
  await ask('checkout', '-q', '-b', 'side');
  await commit('On the side', { 'docs/plan.md': 'side plan\n', 'b.bin': Buffer.of(0, 1, 2, 255) });
  await commit('Delete a', { 'a.txt': null });
  await ask('checkout', '-q', 'main');
  await commit('Rename', { 'old name.txt': null, 'docs/new name.txt': 'kept\nas\nit\nis\n' });
  await merge('side');
  await commit('Bring a back', { 'a.txt': 'three\n' });
  await commit('Nothing', {});
  await ask('tag', '-am', 'First', 'v1');
  await ask('checkout', '-q', '-b', 'topic/weave', 'HEAD~3');
  await commit('Änderung', { 'docs/plan.md': 'other plan\n' });
  await ask('checkout', '-q', 'main');
  // Few files are copied faster than many.
  await ask('gc', '-q');
});
