import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Person } from '../../../support/forge/forge.ts';
import { commitAll, type GitRun, git, tryGit, workingCopy } from '../../../support/git/git.ts';
import { startEngine } from '../pulls.ts';

/** What a commit is made of. */
interface NewCommit {
  readonly name: string;
  /** absent: the name */
  readonly message?: string;
}

/** Starts a forge as `startEngine` does, with a working copy of `engine` on the tip of `main`. */
export async function startWork(t: TestContext) {
  const started = await startEngine(t);
  const work = await workingCopy(t);
  await git(work, ['fetch', '-q', started.ada.remote('ada/engine'), 'main']);
  await git(work, ['reset', '-q', '--hard', 'FETCH_HEAD']);
  const main = await git(work, ['rev-parse', 'HEAD']);
  /** Adds a file to the present branch. @returns the commit */
  const commit = async ({ name, message = name }: NewCommit) => {
    await writeFile(join(work, name), `${name}\n`);
    return commitAll(work, message);
  };
  /** Pushes to `ada/engine`. The output has one line for each ref, and what the server says. */
  const push = (who: Person, ...args: readonly string[]) =>
    tryGit(work, ['push', '--porcelain', ...args.slice(0, -1), who.remote('ada/engine'), ...args.slice(-1)]);
  return { ...started, work, main, commit, push };
}

/** Requires that a push has succeeded. @returns what the server has said, without git's prefix */
export function remarksOf(pushed: GitRun): string[] {
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  return pushed.stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote: '.length).trimEnd());
}
