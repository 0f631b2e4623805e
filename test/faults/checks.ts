import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import { git, tryGit } from '../support/git/git.ts';
import { OWNER, REPOSITORY, type Target } from './clients/client.ts';
import type { Rows } from './rows.ts';
import type { Site } from './server-process.ts';

export function bareFolder(site: Site, id: number): string {
  return RepositoryFolder.of(join(site.dataFolder, 'git'), id).path;
}

/** Returns everything that a strict `git fsck` reports about a bare repository. */
export async function fsckProblems(folder: string): Promise<readonly string[]> {
  const run = await tryGit(folder, ['fsck', '--full', '--strict', '--no-dangling', '--no-progress']);
  const lines = `${run.stdout}${run.stderr}`.split('\n').filter((line) => line !== '');
  return run.exitCode === 0 || lines.length > 0 ? lines : [`git fsck ended with status ${run.exitCode}`];
}

/** Returns the differences between the rows and the mirror on disk, as git reads it. */
export async function mirrorProblems(folder: string, rows: Rows): Promise<readonly string[]> {
  const refs = await refsIn(folder);
  const head = (await readFile(join(folder, 'HEAD'), 'utf8')).trim();
  const problems = differences('the mirror', refs, rows);
  return head === `ref: ${rows.head}` ? problems : [...problems, `HEAD of the mirror is ${head}`];
}

/** Checks that a fresh clone contains exactly the refs of the rows, and all their objects. */
export async function cloneProblems(folder: string, target: Target, rows: Rows): Promise<readonly string[]> {
  const clone = await tryGit(folder, ['clone', '-q', '--mirror', target.remote(REPOSITORY), '.']);
  if (clone.exitCode !== 0) return [`git clone: ${clone.stderr}`];
  const head = await git(folder, ['symbolic-ref', 'HEAD']);
  return [
    ...differences('a clone', await refsIn(folder), rows),
    ...(head === rows.head ? [] : [`HEAD of a clone is ${head}`]),
    ...(await fsckProblems(folder)).map((problem) => `a clone: ${problem}`),
  ];
}

async function refsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await git(folder, ['for-each-ref', '--format=%(objectname) %(refname)'])).split('\n');
  const pairs = lines.filter((line) => line !== '').map((line) => line.split(' ', 2));
  return new Map(pairs.map(([oid = '', name = '']) => [name, oid]));
}

function differences(where: string, refs: ReadonlyMap<string, string>, rows: Rows): readonly string[] {
  const names = new Set([...refs.keys(), ...rows.refs.keys()]);
  return [...names].flatMap((name) => {
    const [found, expected] = [refs.get(name), rows.refs.get(name)];
    return found === expected ? [] : [`${name} is at ${found} in ${where}, and at ${expected} in the rows`];
  });
}

/** Returns the messages of all commits of a branch. */
export async function subjectsOf(folder: string, branch: string): Promise<readonly string[]> {
  return (await git(folder, ['log', '--format=%s', `refs/heads/${branch}`])).split('\n');
}

/** Checks that the API and git name the same last commit for each entry of a folder. */
export async function listingProblems(
  target: Target,
  options: { clone: string; branch: string; path: string },
): Promise<readonly string[]> {
  const { clone, branch, path } = options;
  const url = `/api/v1/repos/${OWNER}/${REPOSITORY}/contents/${path}?ref=${branch}`;
  const answer = await target.send('GET', url);
  if (answer?.status !== 200) return [`${url}: ${answer?.status} ${answer?.text}`];
  const problems: string[] = [];
  for (const entry of answer.body as { path: string; last_commit_sha: string }[]) {
    const last = await git(clone, ['log', '-1', '--format=%H', `refs/heads/${branch}`, '--', entry.path]);
    if (entry.last_commit_sha !== last) {
      problems.push(
        `the last commit of ${entry.path} is ${last}, but the API returns ${entry.last_commit_sha}`,
      );
    }
  }
  return problems;
}

/** Files that belong in the folder of a repository. All others are leftovers of interrupted work. */
const EXPECTED = [
  /^(?:HEAD|config|packed-refs|mirrored-refs)$/,
  /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/,
  /^objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev|bitmap|mtimes)$/,
  /^objects\/pack\/multi-pack-index$/,
  /^objects\/info\/commit-graph$/,
  /^changes\/(?:manifest\.json|[0-9a-f]{24}\.changes)$/,
];

/** Returns the files that no process will read again. */
export async function leftovers(site: Site): Promise<readonly string[]> {
  const root = join(site.dataFolder, 'git');
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => {
      const inside = /^[0-9a-f]{2}\/\d+\.git\/(.*)$/.exec(path)?.[1];
      return inside === undefined || !EXPECTED.some((pattern) => pattern.test(inside));
    });
}
