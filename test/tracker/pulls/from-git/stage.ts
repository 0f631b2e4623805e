import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packOf } from '../../../code/transport/wire.ts';
import type { Person } from '../../../support/forge/forge.ts';
import { commitAll, type GitRun, git, tryGit, workingCopy } from '../../../support/git/git.ts';
import { ENGINE, PULLS, startEngine } from '../pulls.ts';

/** A ref below which readers propose commits, with a topic. */
export const REF = 'refs/for/main/pump';
/** Where a push to the repository goes. */
export const PUSH = 'ada/engine/git-receive-pack';

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
  const countPulls = async () =>
    Number((await started.ada.get(`${PULLS}?state=all`)).headers.get('x-total-count'));
  return { ...started, work, main, commit, push, countPulls };
}

/** Starts as `startWork` does, with a commit that only the working copy has, and its pack. */
export async function startProposal(t: TestContext) {
  const started = await startWork(t);
  const { ada, work, main, commit } = started;
  const tip = await commit({ name: 'pump.txt' });
  const pack = await packOf(work, [tip, `^${main}`]);
  const isStored = async () => (await ada.get(`${ENGINE}/git/commits/${tip}`)).status === 200;
  return { ...started, tip, pack, isStored };
}

/** Requires that a push has succeeded. @returns what the server has said, without git's prefix */
export function remarksOf(pushed: GitRun): string[] {
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  return pushed.stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote: '.length).trimEnd());
}
