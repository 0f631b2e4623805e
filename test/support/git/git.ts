import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { afterTest, type Cleanup } from '../after-test.ts';
import { GitShells, type ShellResult } from './git-shells.ts';

/** Keeps git from reading the settings of the user who runs the tests. */
const GIT_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  // git starts a process after each commit and fetch to see whether there is something to clean up.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  // git frees the state of zlib after each object. The C library of GNU would return that memory to the system each time.
  MALLOC_TRIM_THRESHOLD_: `${32 * 1024 * 1024}`,
  LC_ALL: 'C.UTF-8',
};

/** How often the removal of a folder is tried, at intervals that grow by 100 ms. */
const REMOVALS_MAX = 10;

export interface GitRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: Record<string, string>;
}

/** Runs git in a folder and returns how it ended. */
export async function tryGit(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitRun> {
  const { exitCode, stdout, stderr } = await runGit(folder, args, options);
  return { exitCode, stdout: stdout.toString(), stderr };
}

/** Runs git, which must succeed, and returns the bytes that it printed. */
export async function gitBytes(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runGit(folder, args, options);
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

const shells = new GitShells(GIT_ENVIRONMENT);

/** Runs git in a folder and returns how it ended, with the bytes that it printed. */
export function runGit(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<ShellResult> {
  return shells.run({ folder, args, ...options });
}

/** Runs git, which must succeed, and returns its output without the last line end. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const run = await tryGit(folder, args, options);
  if (run.exitCode !== 0) throw new Error(`git ${args.join(' ')} ended with ${run.exitCode}: ${run.stderr}`);
  return run.stdout.replace(/\n$/, '');
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(t: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-work-'));
  // A process that a killed server started may still write.
  afterTest(t, () => rm(folder, { recursive: true, force: true, maxRetries: REMOVALS_MAX }));
  return folder;
}

/** Creates an empty repository to work in. */
export async function workingCopy(
  t: TestContext,
  options: { objectFormat?: 'sha1' | 'sha256' } = {},
): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main', `--object-format=${options.objectFormat ?? 'sha1'}`]);
  return folder;
}

/**
 * Returns a function that copies what `make` makes into an empty folder, and returns what `make` returned. git takes
 * several processes to make a history, so all tests of a process copy the same one.
 */
export function copyOf<T>(make: (folder: string) => Promise<T>): (folder: string) => Promise<T> {
  let made: Promise<{ source: string; result: T }> | undefined;
  const makeFirst = async () => {
    const source = await mkdtemp(join(tmpdir(), 'quire-copied-'));
    process.once('exit', () => rmSync(source, { recursive: true, force: true }));
    return { source, result: await make(source) };
  };
  return async (folder) => {
    made ??= makeFirst();
    const { source, result } = await made;
    await cp(source, folder, { recursive: true, verbatimSymlinks: true });
    return result;
  };
}

/** Commits everything in the folder. */
export async function commitAll(folder: string, message: string, options: GitOptions = {}): Promise<string> {
  await git(folder, ['add', '-A']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', message], options);
  return headOf(folder);
}

/** Reads what git has just written, which takes a fraction of the time of `git rev-parse`. */
async function headOf(folder: string): Promise<string> {
  const read = async (name: string) => (await readFile(join(folder, '.git', name), 'utf8')).trim();
  const head = await read('HEAD');
  return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
}

/** Lists the refs of the folder, or of the remote repository, with their targets, as `name oid`. */
export async function refsOf(folder: string, remote?: string): Promise<string[]> {
  if (remote === undefined) {
    const listed = await git(folder, ['for-each-ref', '--format=%(refname) %(objectname)']);
    return listed.split('\n').filter((line) => line !== '');
  }
  const listed = await git(folder, ['ls-remote', '--refs', remote]);
  return listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').reverse().join(' '));
}

/** Lists the oids of all objects that the refs reach, sorted. */
export async function objectsOf(folder: string): Promise<string[]> {
  const listed = await git(folder, ['rev-list', '--objects', '--no-object-names', '--all']);
  return listed.split('\n').sort();
}
