import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import { ROOT } from '../../support/process.ts';

// Runs once: no outcome depends on the database.

interface Listed {
  readonly path: string;
  readonly type: string;
  readonly last_commit_sha: string;
}

async function pathsIn(folder: string, commit: string): Promise<readonly string[]> {
  const listed = await git(folder, ['ls-tree', '-r', '-t', '-z', '--name-only', commit]);
  return listed.split('\0').filter((path) => path !== '');
}

/** Returns every path of a tree, including folders, with its last commit according to git. */
async function lastCommitsOfGit(folder: string, commit: string): Promise<Map<string, string>> {
  const last = new Map<string, string>();
  for (const path of await pathsIn(folder, commit)) {
    last.set(
      path,
      await git(folder, ['--literal-pathspecs', 'log', '-1', '--format=%H', commit, '--', path]),
    );
  }
  return last;
}

/**
 * Returns the same map from one pass over a history without merges: there, the last commit of a path is the newest one
 * that changed it or anything in it.
 */
async function lastCommitsWithoutMerges(folder: string, commit: string): Promise<Map<string, string>> {
  assert.equal(await git(folder, ['rev-list', '--merges', commit]), '');
  const log = await git(folder, ['log', '--format=%x00%H', '--name-only', '--no-renames', '-z', commit]);
  const newest = new Map<string, string>();
  for (const record of log.slice(1).split('\0\0')) {
    const [oid = '', ...changed] = record.replace('\n', '').split('\0');
    for (const file of changed) {
      for (let path = file; path !== '.' && !newest.has(path); path = dirname(path)) newest.set(path, oid);
    }
  }
  return new Map((await pathsIn(folder, commit)).map((path) => [path, newest.get(path) ?? '']));
}

/** Returns the same map, read from the contents API. */
async function lastCommitsOfForge(
  person: Person,
  repository: string,
  ref: string,
): Promise<Map<string, string>> {
  const last = new Map<string, string>();
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const path = folder.split('/').map(encodeURIComponent).join('/');
    const answer = await person.get(
      `/api/v1/repos/${repository}/contents/${path}?ref=${encodeURIComponent(ref)}`,
    );
    assert.equal(answer.status, 200, `${folder}: ${answer.text}`);
    for (const entry of answer.body as Listed[]) {
      last.set(entry.path, entry.last_commit_sha);
      if (entry.type === 'dir') waiting.push(entry.path);
    }
  }
  return last;
}

function sorted(map: Map<string, string>): [string, string][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

let clock = 1_700_000_000;

/** Commits the current files, each commit one minute later, because git log sorts by date. */
async function commitLater(folder: string, message: string): Promise<string> {
  clock += 60;
  const date = `${clock} +0000`;
  await git(folder, ['add', '-A']);
  const environment = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  await git(folder, ['commit', '-q', '--allow-empty', '-m', message], { environment });
  return git(folder, ['rev-parse', 'HEAD']);
}

async function merge(folder: string, ...branches: string[]): Promise<void> {
  clock += 60;
  const date = `${clock} +0000`;
  const environment = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  await git(folder, ['merge', '-q', '--no-ff', '-m', `merge ${branches.join(' ')}`, ...branches], {
    environment,
  });
}

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Creates a history with every case that is hard for the algorithm. */
async function tangledHistory(t: TestContext): Promise<string> {
  const folder = await workingCopy(t);
  for (const name of ['a', 'b', 'c', 'src/x', 'src/y', 'src/deep/z', 'docs/one', 'docs/two']) {
    await write(folder, name, `${name}\n`);
  }
  await commitLater(folder, 'begin');
  await git(folder, ['branch', 'left']);
  await git(folder, ['branch', 'right']);
  await git(folder, ['branch', 'third']);
  // criss-cross: each side merges the other's earlier state
  await git(folder, ['checkout', '-q', 'left']);
  await write(folder, 'src/x', 'left\n');
  await commitLater(folder, 'left x');
  await git(folder, ['checkout', '-q', 'right']);
  await write(folder, 'src/y', 'right\n');
  await commitLater(folder, 'right y');
  await git(folder, ['branch', 'right-before']);
  await merge(folder, 'left');
  await git(folder, ['checkout', '-q', 'left']);
  await merge(folder, 'right-before');
  await write(folder, 'docs/one', 'left again\n');
  await commitLater(folder, 'left docs');
  await git(folder, ['checkout', '-q', 'third']);
  await write(folder, 'docs/two', 'third\n');
  await write(folder, 'src/deep/new', 'third\n');
  await commitLater(folder, 'third');
  // the same change on two sides
  await git(folder, ['checkout', '-q', '-b', 'same', 'main']);
  await write(folder, 'docs/two', 'third\n');
  await commitLater(folder, 'the same as third');
  await git(folder, ['checkout', '-q', 'main']);
  await write(folder, 'a', 'main\n');
  await commitLater(folder, 'main a');
  await merge(folder, 'left');
  await merge(folder, 'right');
  await merge(folder, 'same');
  // an octopus merge of sides that touch different files
  for (const side of ['o1', 'o2', 'o3']) {
    await git(folder, ['checkout', '-q', '-b', side, 'main']);
    await write(folder, `oct/${side}`, side);
    await commitLater(folder, side);
  }
  await git(folder, ['checkout', '-q', 'main']);
  await merge(folder, 'o1', 'o2', 'o3');
  await merge(folder, 'third');
  // a rename, a deleted file restored with the same content, a revert, a changed mode, a file that becomes a folder
  await git(folder, ['mv', 'b', 'src/b']);
  await commitLater(folder, 'rename');
  await git(folder, ['rm', '-q', 'c']);
  await commitLater(folder, 'delete c');
  await write(folder, 'c', 'c\n');
  await commitLater(folder, 'restore c');
  await write(folder, 'src/x', 'wrong\n');
  await commitLater(folder, 'wrong');
  await write(folder, 'src/x', 'left\n');
  await commitLater(folder, 'revert by hand');
  await chmod(join(folder, 'a'), 0o755);
  await commitLater(folder, 'mode');
  await git(folder, ['rm', '-q', 'docs/one']);
  await write(folder, 'docs/one/inside', 'now a folder\n');
  await commitLater(folder, 'a file becomes a folder');
  await commitLater(folder, 'empty');
  return folder;
}

async function push(folder: string, person: Person, name: string): Promise<void> {
  await person.repository(name);
  await git(folder, ['push', '-q', '--all', person.remote(`${person.name}/${name}`)]);
}

async function indexNow(forge: TestForge, person: Person, name: string): Promise<void> {
  const { services } = forge.forge.running;
  const id = await services.repositories.findId({ owner: person.name, name });
  assert.ok(id);
  while (await services.lastCommits.index(id, new AbortController().signal));
}

/** Whether the change index has a commit, so that a listing there needs no walk. */
async function isIndexed(forge: TestForge, person: Person, name: string, commit: string): Promise<boolean> {
  const { services, engines } = forge.forge.running;
  const id = await services.repositories.findId({ owner: person.name, name });
  assert.ok(id);
  const snapshot = await engines.git.refs.open(id);
  return (
    (await engines.git.history.findLastCommits(snapshot, { commit, folder: '', names: [] })) !== undefined
  );
}

test('in a history with all kinds of merges, the last commit of every path matches git log', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await tangledHistory(t);
  await push(folder, ada, 'tangled');
  const branches = (await git(folder, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/'])).split(
    '\n',
  );
  const expected = new Map<string, [string, string][]>();
  for (const branch of branches) expected.set(branch, sorted(await lastCommitsOfGit(folder, branch)));
  for (const branch of branches) {
    assert.deepEqual(
      sorted(await lastCommitsOfForge(ada, 'ada/tangled', branch)),
      expected.get(branch),
      branch,
    );
  }
  await indexNow(forge, ada, 'tangled');
  for (const branch of branches) {
    assert.deepEqual(
      sorted(await lastCommitsOfForge(ada, 'ada/tangled', branch)),
      expected.get(branch),
      branch,
    );
  }
});

test('the index grows with each push and always matches git log', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  await ada.repository('growing');
  const remote = ada.remote('ada/growing');
  for (let round = 0; round < 6; round += 1) {
    await write(folder, `d${round % 3}/f${round}`, `${round}`);
    if (round > 2) await write(folder, 'd0/f0', `again ${round}`);
    await commitLater(folder, `round ${round}`);
    if (round === 4) await git(folder, ['branch', 'old', 'HEAD~3']);
    await git(folder, ['push', '-q', '--all', remote]);
    if (round % 2 === 0) await indexNow(forge, ada, 'growing');
    const expected = sorted(await lastCommitsOfGit(folder, 'main'));
    assert.deepEqual(sorted(await lastCommitsOfForge(ada, 'ada/growing', 'main')), expected);
  }
  await indexNow(forge, ada, 'growing');
  const expected = sorted(await lastCommitsOfGit(folder, 'old'));
  assert.deepEqual(sorted(await lastCommitsOfForge(ada, 'ada/growing', 'old')), expected);
});

test("in this project's own history, the last commit of every path matches git log", async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  await git(folder, ['fetch', '-q', '--update-head-ok', ROOT, 'HEAD:refs/heads/main']);
  await push(folder, ada, 'itself');
  await indexNow(forge, ada, 'itself');
  const expected = sorted(await lastCommitsWithoutMerges(folder, 'main'));
  assert.deepEqual(sorted(await lastCommitsOfForge(ada, 'ada/itself', 'main')), expected);
});

test('a job indexes a pushed branch', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  await write(folder, 'docs/one', 'one');
  const commit = await commitLater(folder, 'one');
  await push(folder, ada, 'jobbed');
  const { jobs } = forge.forge.running.services;
  await jobs.runDue({ aheadMs: 60_000 });
  assert.equal(await isIndexed(forge, ada, 'jobbed', commit), true);
});

test('a history discarded by a forced push leaves no wrong entry', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  await ada.repository('forced');
  const remote = ada.remote('ada/forced');
  await write(folder, 'first', 'first');
  await commitLater(folder, 'one');
  await write(folder, 'discarded', 'discarded');
  await commitLater(folder, 'two');
  await git(folder, ['push', '-q', remote, 'main']);
  await indexNow(forge, ada, 'forced');
  await git(folder, ['reset', '-q', '--hard', 'HEAD~1']);
  await write(folder, 'other', 'other');
  await commitAll(folder, 'instead');
  await git(folder, ['push', '-q', '--force', remote, 'main']);
  await indexNow(forge, ada, 'forced');
  const expected = sorted(await lastCommitsOfGit(folder, 'main'));
  assert.deepEqual(sorted(await lastCommitsOfForge(ada, 'ada/forced', 'main')), expected);
});

test('H2: a commit whose few objects expand to more files than the index takes is left to walks, and its children are not', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  const bomb = await git(folder, [
    'commit-tree',
    '-m',
    'bomb',
    await treeBomb(folder, { width: 22, depth: 4 }),
  ]);
  const changed = await git(folder, ['mktree'], {
    input: `${await git(folder, ['ls-tree', bomb])}\n040000 tree ${await git(folder, ['rev-parse', `${bomb}:3`])}\tx\n`,
  });
  const child = await git(folder, ['commit-tree', '-p', bomb, '-m', 'child', `${bomb}^{tree}`]);
  const tip = await git(folder, ['commit-tree', '-p', child, '-m', 'tip', changed]);
  await git(folder, ['branch', 'main', tip]);
  await push(folder, ada, 'engine');

  await indexNow(forge, ada, 'engine');

  assert.equal(await isIndexed(forge, ada, 'engine', tip), true);
  for (const path of ['3/3', '3/3/3/3']) {
    const listed = await ada.get(`/api/v1/repos/ada/engine/contents/${path}`);
    const commits = [listed.body].flat().map((entry: Listed) => entry.last_commit_sha);
    assert.deepEqual(new Set(commits), new Set([bomb]));
  }
  const root = await ada.get('/api/v1/repos/ada/engine/contents/');
  const commits = root.body.map((entry: Listed) => [entry.path, entry.last_commit_sha]);
  assert.deepEqual(commits.at(-1), ['x', tip]);
  assert.deepEqual(commits[0], ['0', bomb]);
});
