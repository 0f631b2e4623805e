import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { LOOM, type Loom, startLoom, weave } from '../../code/commits/history.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import { dial, head } from '../../support/http/raw.ts';
import { until } from '../../support/until.ts';
import { settle } from './pulls.ts';

const PULLS = `${LOOM}/pulls`;

async function startWoven(t: TestContext): Promise<Loom> {
  const loom = await startLoom(t);
  await weave(loom);
  await loom.push('main', 'side', 'topic/weave', 'v1');
  return loom;
}

/** Opens a pull request in the repository, and returns its number. */
async function open(who: Person, branch: string, base = 'main'): Promise<number> {
  const opened = await who.post(PULLS, { title: branch, base, head: branch });
  assert.equal(opened.status, 201, opened.text);
  return opened.body.number;
}

/** Merges a pull request, and returns the commit to which its base moved. */
async function merge(who: Person, number: number, style = 'merge'): Promise<string> {
  const merged = await who.post(`${PULLS}/${number}/merge`, { Do: style });
  assert.equal(merged.status, 200, merged.text);
  return (await who.get(`${PULLS}/${number}`)).body.merge_commit_sha;
}

interface ChangedFile {
  readonly filename: string;
  readonly previous_filename?: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly changes: number;
}

async function filesOf(who: Person | TestForge, number: number, query = ''): Promise<readonly ChangedFile[]> {
  const { status, body, text } = await who.get(`${PULLS}/${number}/files?${query}`);
  assert.equal(status, 200, text);
  return body;
}

const namesOf = (files: readonly ChangedFile[]) => files.map(({ filename }) => filename);

async function commitsOf(who: Person | TestForge, number: number, query = ''): Promise<readonly string[]> {
  const { status, body, text } = await who.get(`${PULLS}/${number}/commits?${query}`);
  assert.equal(status, 200, text);
  return body.map(({ sha }: { sha: string }) => sha);
}

async function textOf(who: Person | TestForge, number: number, end = 'diff'): Promise<string> {
  const { status, text } = await who.get(`${PULLS}/${number}.${end}`);
  assert.equal(status, 200, text);
  return text.trimEnd();
}

const STATUSES: Readonly<Record<string, string>> = { A: 'added', D: 'deleted', M: 'changed', R: 'renamed' };

/** Returns the changed files that git finds, in the form of the response. */
async function filesByGit({ ask }: Loom, from: string, to: string, ...flags: readonly string[]) {
  const fields = async (format: string) =>
    (await ask('diff', '-z', '-M', format, ...flags, from, to)).split('\0').slice(0, -1).values();
  const counts = await fields('--numstat');
  const files: ChangedFile[] = [];
  const statuses = await fields('--name-status');
  for (const letters of statuses) {
    const first = statuses.next().value ?? '';
    const isRenamed = letters.startsWith('R');
    const filename = isRenamed ? (statuses.next().value ?? '') : first;
    const [added = '', deleted = ''] = (counts.next().value ?? '').split('\t');
    if (isRenamed) for (const _ of [1, 2]) counts.next();
    const [additions, deletions] = [added, deleted].map((text) => (text === '-' ? 0 : Number(text)));
    files.push({
      filename,
      ...(isRenamed ? { previous_filename: first } : {}),
      status: STATUSES[letters.charAt(0)] ?? '',
      additions: additions ?? 0,
      deletions: deletions ?? 0,
      changes: (additions ?? 0) + (deletions ?? 0),
    });
  }
  return files;
}

function withoutAddresses(files: readonly ChangedFile[]): readonly ChangedFile[] {
  return files.map(({ filename, previous_filename: previous, status, additions, deletions, changes }) => ({
    filename,
    ...(previous === undefined ? {} : { previous_filename: previous }),
    status,
    additions,
    deletions,
    changes,
  }));
}

test('the commits of a pull request: newest first, with older headers of paging', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, commit, ask, listed, push } = loom;
  await ask('checkout', '-q', 'topic/weave');
  for (const word of ['two', 'three', 'four']) await commit(word, { [`${word}.txt`]: `${word}\n` });
  await push('topic/weave');
  const number = await open(ada, 'topic/weave');
  const expected = await listed('topic/weave', '^main');
  assert.equal(expected.length, 4);

  assert.deepEqual(await commitsOf(forge, number), expected);
  const page = await forge.get(`${PULLS}/${number}/commits?page=2&limit=3`);
  assert.deepEqual(
    page.body.map(({ sha }: { sha: string }) => sha),
    expected.slice(3),
  );
  const headers = ['x-page', 'x-perpage', 'x-total', 'x-pagecount', 'x-hasmore', 'x-total-count'];
  assert.deepEqual(
    headers.map((name) => page.headers.get(name)),
    ['2', '3', '4', '2', 'false', '4'],
  );
  assert.match(page.headers.get('link') ?? '', /rel="first".*rel="prev"/);
  assert.match(page.headers.get('access-control-expose-headers') ?? '', /X-HasMore/);
  const [last] = page.body;
  assert.deepEqual(last.files, [{ filename: 'docs/plan.md', status: 'modified' }]);
  assert.equal(last.commit.verification.verified, false);
  assert.equal(last.stats.total, 2);
  const [bare] = (await forge.get(`${PULLS}/${number}/commits?files=false&verification=false`)).body;
  assert.deepEqual([bare.files, bare.commit.verification], [null, null]);
});

test('the files of a pull request, as git finds them', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask } = loom;
  await ask('branch', 'first', await ask('rev-list', '--max-parents=0', 'main'));
  await loom.push('first');
  const number = await open(ada, 'main', 'first');

  const files = await filesOf(forge, number);

  assert.deepEqual(withoutAddresses(files), await filesByGit(loom, 'first', 'main'));
  assert.deepEqual(
    files.map(({ filename, status }) => `${filename}: ${status}`),
    ['a.txt: changed', 'b.bin: added', 'docs/new name.txt: renamed', 'docs/plan.md: changed'],
  );
  const page = await forge.get(`${PULLS}/${number}/files?page=1&limit=3`);
  assert.deepEqual(namesOf(page.body), namesOf(files).slice(0, 3));
  const headers = ['x-page', 'x-perpage', 'x-total', 'x-pagecount', 'x-hasmore', 'x-total-count'];
  assert.deepEqual(
    headers.map((name) => page.headers.get(name)),
    ['1', '3', '4', '2', 'true', '4'],
  );
  assert.match(page.headers.get('link') ?? '', /page=2>; rel="next"/);
  assert.deepEqual(await filesOf(forge, number, 'page=3&limit=3'), []);
});

test('the addresses of a changed file lead to it; those of a deleted one, to where it still was', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ask('checkout', '-q', '-b', 'gone');
  await commit('Delete one, and name one', { 'b.bin': null, 'docs/ä b#.md': 'new\n' });
  await push('gone');
  const number = await open(ada, 'gone');

  const { body } = await forge.get(`${PULLS}/${number}/files`);

  const [deleted, added] = body;
  assert.deepEqual([deleted.filename, deleted.status], ['b.bin', 'deleted']);
  assert.deepEqual([added.filename, added.status], ['docs/ä b#.md', 'added']);
  const main = await ask('rev-parse', 'main');
  assert.equal(deleted.raw_url, `${forge.url}/ada/loom/raw/commit/${main}/b.bin`);
  for (const file of body)
    for (const url of [file.html_url, file.contents_url, file.raw_url])
      assert.equal((await forge.get(url.slice(forge.url.length))).status, 200, url);
  assert.equal((await forge.get(added.raw_url.slice(forge.url.length))).text, 'new\n');
});

test('the files of a pull request without changes of blanks, and from a named file on', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ask('checkout', '-q', '-b', 'blanks');
  await commit('Begin', { 'b1.txt': 'a b\n', 'b2.txt': 'a b\n', 'b3.txt': 'a b\n', 'b4.txt': 'a b\n' });
  await push('blanks:main');
  const from = await ask('rev-parse', 'blanks');
  await commit('Change', { 'b1.txt': 'a  b\n', 'b2.txt': 'ab\n', 'b3.txt': 'a b \n', 'b4.txt': 'c\n' });
  await push('blanks');
  const number = await open(ada, 'blanks');

  for (const [whitespace, ...flags] of [
    ['ignore-all', '-w'],
    ['ignore-change', '-b'],
    ['ignore-eol', '--ignore-space-at-eol'],
    ['show-all'],
    ['unknown'],
  ] as const) {
    const counted = (await ask('diff', '--numstat', ...flags, from, 'blanks')).split('\n');
    const expected = counted.map((line) => line.split('\t')[2]);
    assert.deepEqual(namesOf(await filesOf(forge, number, `whitespace=${whitespace}`)), expected, whitespace);
  }
  const page = await forge.get(`${PULLS}/${number}/files?skip-to=b2.txt&limit=2`);
  assert.deepEqual(namesOf(page.body), ['b2.txt', 'b3.txt']);
  assert.deepEqual([page.headers.get('x-total'), page.headers.get('x-hasmore')], ['3', 'true']);
  assert.deepEqual(namesOf(await filesOf(forge, number, 'skip-to=b2.txt&limit=2&page=2')), ['b4.txt']);
  assert.deepEqual(namesOf(await filesOf(forge, number, 'skip-to=b33')), ['b4.txt']);
  assert.deepEqual(await filesOf(forge, number, 'skip-to=c'), []);
});

test('the diff and the patch of a pull request begin at the merge base', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ask('checkout', '-q', '-b', 'picture', 'main~1');
  await commit('Change a picture', { 'b.bin': Buffer.of(0, 9, 8, 7), 'docs/plan.md': 'third plan\n' });
  await push('picture');
  const number = await open(ada, 'picture');
  const base = await ask('merge-base', 'main', 'picture');

  const diff = await textOf(forge, number);
  const binary = await textOf(forge, number, 'diff?binary=true');
  const patch = await textOf(forge, number, 'patch');

  assert.equal(diff, await ask('diff', '-M', base, 'picture'));
  assert.match(diff, /^Binary files a\/b\.bin and b\/b\.bin differ$/m);
  assert.equal(
    binary.replaceAll(/^index .*$/gm, ''),
    (await ask('diff', '-M', '--binary', base, 'picture')).trimEnd().replaceAll(/^index .*$/gm, ''),
  );
  assert.equal(await textOf(forge, number, 'patch?binary=true'), patch);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--shared', loom.folder, '.']);
  for (const input of [`${binary}\n\n`, `${patch}\n\n`]) {
    await git(folder, ['checkout', '-qf', base]);
    await git(folder, input.startsWith('diff') ? ['apply', '--index'] : ['am', '-q'], { input });
    assert.equal(await git(folder, ['write-tree']), await ask('rev-parse', 'picture^{tree}'));
  }
  const { diff_url: diffUrl, patch_url: patchUrl } = (await forge.get(`${PULLS}/${number}`)).body;
  for (const [url, text] of [
    [diffUrl, diff],
    [patchUrl, patch],
    [`${diffUrl}?binary=true`, binary],
  ])
    assert.equal((await forge.get(url.slice(forge.url.length))).text.trimEnd(), text, url);
  for (const end of ['txt', 'diffs', 'diff.patch'])
    assert.equal((await forge.get(`${PULLS}/${number}.${end}`)).status, 404, end);
});

test('a known page or text is not made again, and HEAD makes no text', async (t) => {
  const { ada, forge } = await startWoven(t);
  const number = await open(ada, 'topic/weave');
  const paths = [
    '.diff',
    '.diff?binary=true',
    '.patch',
    '/commits',
    '/files',
    '/files?whitespace=ignore-all',
  ];
  const tags = new Set<string>();
  for (const path of paths) {
    const url = `${PULLS}/${number}${path}`;
    const tag = (await forge.get(url)).headers.get('etag') ?? '';
    tags.add(tag);
    const known = await forge.get(url, { headers: { 'if-none-match': tag } });
    assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', tag], path);
  }
  assert.equal(tags.size, paths.length);
  const bare = await forge.send('HEAD', `${PULLS}/${number}.diff`);
  assert.deepEqual([bare.status, bare.text], [200, '']);
  assert.ok(tags.has(bare.headers.get('etag') ?? ''));
  assert.equal(bare.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(bare.headers.get('cache-control'), 'private, no-cache', 'a push changes what it should show');
});

test('an open pull request follows its branches', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, listed, push } = loom;
  await ask('checkout', '-q', '-b', 'work');
  const first = await commit('First', { 'first.txt': '1\n' });
  const second = await commit('Second', { 'second.txt': '2\n' });
  await push('work');
  const number = await open(ada, 'work');
  assert.deepEqual(await commitsOf(forge, number), [second, first]);

  // The base gets one of the commits, and others.
  await push(`${first}:main`);
  assert.deepEqual(await commitsOf(forge, number), [second]);
  assert.deepEqual(namesOf(await filesOf(forge, number)), ['second.txt']);
  await ask('checkout', '-q', '-b', 'ahead', first);
  await commit('Elsewhere', { 'elsewhere.txt': '3\n' });
  await push('ahead:main');
  assert.deepEqual(namesOf(await filesOf(forge, number)), ['second.txt']);

  // The head takes up the base.
  await ask('checkout', '-q', 'work');
  await loom.merge('ahead');
  await push('work');
  const merged = await listed('work', '^ahead');
  assert.equal(merged.length, 2);
  assert.deepEqual(await commitsOf(forge, number), merged);
  assert.deepEqual(namesOf(await filesOf(forge, number)), ['second.txt']);
  assert.equal(await textOf(forge, number), await ask('diff', 'ahead', 'work'));

  // The base gets all of them.
  await push('work:main');
  assert.deepEqual(await commitsOf(forge, number), []);
  assert.deepEqual(await filesOf(forge, number), []);
  assert.equal(await textOf(forge, number), '');
  assert.equal(await textOf(forge, number, 'patch'), '');
});

test('a merged pull request keeps its differences, also without its branches', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ada.patch(LOOM, { default_branch: 'side' });
  await ask('checkout', '-q', '-b', 'work');
  const base = await ask('rev-parse', 'main');
  const tip = await commit('Work', { 'work.txt': '1\n' });
  await push('work');
  const number = await open(ada, 'work');
  await merge(ada, number);
  const expected = await ask('diff', base, tip);

  for (const branch of ['work', 'main']) {
    assert.equal((await ada.delete(`${LOOM}/branches/${branch}`)).status, 204, branch);
    await settle(forge);
    assert.deepEqual(await commitsOf(forge, number), [tip]);
    assert.deepEqual(namesOf(await filesOf(forge, number)), ['work.txt']);
    assert.equal(await textOf(forge, number), expected);
    assert.match(await textOf(forge, number, 'patch'), /^Subject: \[PATCH\] Work$/m);
  }
});

test('a pull request that a push merged keeps its differences', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ada.patch(LOOM, { autodetect_manual_merge: true, allow_manual_merge: true });
  for (const how of ['fast-forward', 'merge', 'by hand']) {
    await ask('checkout', '-q', 'main');
    await ask('checkout', '-q', '-b', how.replace(' ', '-'));
    const base = await ask('rev-parse', 'main');
    const tip = await commit(how, { [`${how}.txt`]: '1\n2\n' });
    await push('HEAD');
    const number = await open(ada, how.replace(' ', '-'));
    await settle(forge);
    await ask('checkout', '-q', 'main');
    if (how === 'fast-forward') await ask('merge', '-q', '--ff-only', tip);
    else await loom.merge(tip);
    if (how === 'by hand') await ada.patch(LOOM, { autodetect_manual_merge: false });
    await push('main');
    await settle(forge);
    const { merged } = (await forge.get(`${PULLS}/${number}`)).body;
    assert.equal(merged, how !== 'by hand', how);
    if (how === 'by hand') {
      const wish = { Do: 'manually-merged', MergeCommitID: await ask('rev-parse', 'main') };
      assert.equal((await ada.post(`${PULLS}/${number}/merge`, wish)).status, 200);
    }

    assert.deepEqual(await commitsOf(forge, number), [tip], how);
    assert.deepEqual(namesOf(await filesOf(forge, number)), [`${how}.txt`], how);
    const read = (await forge.get(`${PULLS}/${number}`)).body;
    assert.deepEqual([read.merged, read.merge_base], [true, base], how);
    assert.deepEqual([read.changed_files, read.additions, read.deletions], [1, 2, 0], how);
  }
});

test('a closed pull request keeps its differences when its branches move or are gone', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ada.patch(LOOM, { default_branch: 'side' });
  await ask('checkout', '-q', '-b', 'work');
  const base = await ask('rev-parse', 'main');
  const tip = await commit('Work', { 'work.txt': '1\n' });
  await push('work');
  const number = await open(ada, 'work');
  await settle(forge);
  assert.equal((await ada.patch(`${PULLS}/${number}`, { state: 'closed' })).status, 201);
  const expected = await ask('diff', base, tip);
  const assertSame = async (what: string) => {
    assert.deepEqual(await commitsOf(forge, number), [tip], what);
    assert.deepEqual(namesOf(await filesOf(forge, number)), ['work.txt'], what);
    assert.equal(await textOf(forge, number), expected, what);
  };

  await assertSame('closed');
  // The base gets the commit by a push.
  await push('work:main');
  await assertSame('base moved');
  await ask('checkout', '-q', '-B', 'work', base);
  await commit('Other work', { 'other.txt': '1\n' });
  await push('+work');
  await settle(forge);
  await assertSame('head moved');
  for (const branch of ['work', 'main']) {
    assert.equal((await ada.delete(`${LOOM}/branches/${branch}`)).status, 204);
    await settle(forge);
    await assertSame(`${branch} deleted`);
  }
});

test('a pull request that was never checked is compared with its base while that exists', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ada.patch(LOOM, { default_branch: 'side' });
  await ask('checkout', '-q', '-b', 'work');
  const tip = await commit('Work', { 'work.txt': '1\n' });
  await push('work');
  const number = await open(ada, 'work');
  assert.equal((await ada.patch(`${PULLS}/${number}`, { state: 'closed' })).status, 201);
  await settle(forge);
  const unchecked = { merge_base: null, checked_base: null, checked_head: null, outcome: null };
  const { database } = forge.forge.running.services;
  await database.transaction((tx) => tx.updateTable('pulls').set(unchecked).execute());
  assert.deepEqual(await commitsOf(forge, number), [tip]);
  assert.deepEqual(namesOf(await filesOf(forge, number)), ['work.txt']);
  assert.equal((await ada.delete(`${LOOM}/branches/main`)).status, 204);
  await settle(forge);
  for (const path of ['/commits', '/files', '.diff', '.patch'])
    assert.equal((await forge.get(`${PULLS}/${number}${path}`)).status, 404, path);
});

test('a pull request of a fork is readable after the fork is deleted, and is closed', async (t) => {
  const loom = await startWoven(t);
  const { forge, ask, commit, folder } = loom;
  const cyd = await forge.account('cyd');
  assert.equal((await cyd.post(`${LOOM}/forks`, {})).status, 202);
  await ask('checkout', '-q', '-b', 'work');
  const tip = await commit('Work', { 'work.txt': '1\n' });
  await git(folder, ['push', '-q', cyd.remote('cyd/loom'), 'work']);
  const number = await open(cyd, 'cyd:work');

  assert.deepEqual(await commitsOf(forge, number), [tip]);
  assert.equal((await cyd.delete('/api/v1/repos/cyd/loom')).status, 204);
  await settle(forge);
  assert.deepEqual(await commitsOf(forge, number), [tip]);
  assert.deepEqual(namesOf(await filesOf(forge, number)), ['work.txt']);
  assert.equal(await textOf(forge, number), await ask('diff', 'main', 'work'));
  const pull = `${LOOM}/pulls/${number}`;
  assert.equal((await cyd.get(pull)).body.state, 'closed');
  assert.equal((await cyd.patch(pull, { state: 'open' })).status, 422);
});

test('unrelated histories are compared with the tip of the base', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, commit, push } = loom;
  await ask('checkout', '-q', '--orphan', 'island');
  await ask('rm', '-rfq', '.');
  const tip = await commit('Island', { 'a.txt': 'other\n' });
  await push('island');
  const number = await open(ada, 'island');

  for (const state of ['open', 'closed']) {
    assert.deepEqual(await commitsOf(forge, number), [tip], state);
    const expected = await filesByGit(loom, 'main', 'island');
    assert.deepEqual(withoutAddresses(await filesOf(forge, number)), expected, state);
    assert.equal(await textOf(forge, number), await ask('diff', '-M', 'main', 'island'), state);
    assert.match(await textOf(forge, number, 'patch'), /^Subject: \[PATCH\] Island$/m, state);
    await settle(forge);
    await ada.patch(`${PULLS}/${number}`, { state: 'closed' });
  }
});

test('the pull request that brought a commit', async (t) => {
  const { ada, forge, ask, commit, push } = await startWoven(t);
  const pullOf = async (name: string) => {
    const { status, body } = await forge.get(`${LOOM}/commits/${name}/pull`);
    return status === 200 ? body.number : status;
  };
  const before = await ask('rev-parse', 'main');
  const brought: { number: number; style: string; sha: string; commits: readonly string[] }[] = [];
  for (const style of ['merge', 'squash', 'rebase', 'merge']) {
    const branch = `${style}-${brought.length}`;
    await ask('checkout', '-q', '-b', branch, before);
    const commits = [
      await commit(`${branch} 1`, { [`${branch}.1`]: '1\n' }),
      await commit(`${branch} 2`, { [`${branch}.2`]: '2\n' }),
    ];
    await push(branch);
    const number = await open(ada, branch);
    for (const sha of commits) assert.equal(await pullOf(sha), 404, style);
    const sha = await merge(ada, number, style);
    brought.push({ number, style, sha, commits });
  }
  const unmerged = await commit('Not merged', { 'unmerged.txt': '1\n' });
  await push(`${unmerged}:refs/heads/unmerged`);
  await open(ada, 'unmerged');

  for (const { number, style, sha, commits } of brought)
    for (const name of [sha, ...commits, sha.slice(0, 12)]) assert.equal(await pullOf(name), number, style);
  const [first] = brought;
  assert.ok(first !== undefined);
  assert.equal(await pullOf('merge-0'), first.number);
  // The base had it, only an open pull request has it, or there is no such commit.
  const tree = await ask('rev-parse', 'main^{tree}');
  for (const name of [before, 'side', 'v1', unmerged, 'nothing', '0'.repeat(40), tree])
    assert.equal(await pullOf(name), 404, name);
  // The first merge counts if commits travel on.
  const later = await open(ada, 'main', 'side');
  const sha = await merge(ada, later);
  assert.deepEqual([await pullOf(sha), await pullOf(first.commits[0] ?? '')], [later, first.number]);
  const read = (await forge.get(`${LOOM}/commits/${first.sha}/pull`)).body;
  assert.deepEqual([read.merged, read.merge_commit_sha], [true, first.sha]);
});

test('the pull request that brought rebased commits', async (t) => {
  const { ada, forge, ask, commit, push } = await startWoven(t);
  const pullOf = async (name: string) => {
    const { status, body } = await forge.get(`${LOOM}/commits/${name}/pull`);
    return status === 200 ? body.number : status;
  };
  const before = await ask('rev-parse', 'main');
  for (const style of ['rebase', 'rebase-merge']) {
    await ask('checkout', '-q', '-b', style, before);
    for (const count of ['1', '2', '3']) await commit(`${style} ${count}`, { [`${style}.${count}`]: count });
    await push(style);
    await ask('checkout', '-q', 'main');
    await ask('pull', '-q', '--ff-only', ada.remote('ada/loom'), 'main');
    const direct = await commit(`Before ${style}`, { [`before-${style}.txt`]: '1\n' });
    await push('main');
    const number = await open(ada, style);
    const tip = await merge(ada, number, style);
    await ask('fetch', '-q', ada.remote('ada/loom'), 'main');
    const listed = await ask('rev-list', '--no-merges', `${direct}..${tip}`, `^${style}`);
    const rebased = listed.split('\n');
    assert.equal(rebased.length, 3);
    for (const sha of [tip, ...rebased]) assert.equal(await pullOf(sha), number, style);
    assert.equal(await pullOf(direct), 404, style);
  }
});

test('pinned pull requests', async (t) => {
  const { ada, forge } = await startWoven(t);
  const first = await open(ada, 'topic/weave');
  const second = await open(ada, 'side');
  assert.equal((await ada.post(`${LOOM}/issues`, { title: 'An issue' })).status, 201);
  const pinned = async () => {
    const { status, body } = await forge.get(`${PULLS}/pinned`);
    assert.equal(status, 200);
    return body.map(({ number, pin_order: order }: Record<string, number>) => [number, order]);
  };
  assert.deepEqual(await pinned(), []);
  for (const number of [second, first, 3])
    assert.equal((await ada.post(`${LOOM}/issues/${number}/pin`)).status, 204);

  assert.deepEqual(await pinned(), [
    [second, 1],
    [first, 2],
  ]);
  assert.deepEqual((await forge.get(`${LOOM}/new_pin_allowed`)).body, { issues: true, pull_requests: true });
  const [shown] = (await forge.get(`${PULLS}/pinned?limit=1`)).body;
  assert.equal(shown.head.ref, 'side');
  // `main` has more branches to compare with than may be pinned.
  for (const base of ['side', 'v2']) {
    await ada.post(`${LOOM}/branches`, { new_branch_name: 'v2', old_branch_name: 'main' });
    const number = await open(ada, 'topic/weave', base);
    if (base === 'side') await ada.post(`${LOOM}/issues/${number}/pin`);
  }
  assert.deepEqual((await forge.get(`${LOOM}/new_pin_allowed`)).body, { issues: true, pull_requests: false });
  assert.equal((await ada.post(`${LOOM}/issues/5/pin`)).status, 422);
});

test('only people who may read pull requests and code read the differences', async (t) => {
  const { ada, forge } = await startWoven(t);
  const number = await open(ada, 'topic/weave');
  const issue = (await ada.post(`${LOOM}/issues`, { title: 'An issue' })).body.number;
  const paths = [`/pulls/${number}/commits`, `/pulls/${number}/files`, `/pulls/${number}.diff`];
  const others = [`/pulls/${number}.patch`, '/commits/main/pull', '/pulls/pinned'];
  for (const path of ['/commits', '/files', '.diff', '.patch'])
    for (const other of [issue, 99, 'main'])
      assert.equal((await forge.get(`${PULLS}/${other}${path}`)).status, 404, `${other}${path}`);

  await ada.patch(LOOM, { private: true });
  for (const path of [...paths, ...others])
    assert.equal((await forge.get(`${LOOM}${path}`)).status, 404, path);
  assert.equal((await forge.get(`/ada/loom/pulls/${number}.diff`)).status, 404);
  for (const path of paths) assert.equal((await ada.get(`${LOOM}${path}`)).status, 200, path);
  await ada.patch(LOOM, { has_pull_requests: false });
  for (const path of [...paths, ...others]) assert.equal((await ada.get(`${LOOM}${path}`)).status, 404, path);
});

test('a team without the code of a repository reads its pull requests, but no differences', async (t) => {
  const { ada, forge } = await startWoven(t);
  const ben = await forge.account('ben');
  assert.equal((await ada.post('/api/v1/orgs', { username: 'guild' })).status, 201);
  assert.equal((await ada.post(`${LOOM}/transfer`, { new_owner: 'guild' })).status, 202);
  const loom = '/api/v1/repos/guild/loom';
  await ada.patch(loom, { private: true });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'readers',
    permission: 'read',
    units_map: { 'repo.pulls': 'read' },
  });
  assert.equal(team.status, 201, team.text);
  assert.equal((await ada.put(`/api/v1/teams/${team.body.id}/members/ben`)).status, 204);
  assert.equal((await ada.put(`/api/v1/teams/${team.body.id}/repos/guild/loom`)).status, 204);
  const opened = await ada.post(`${loom}/pulls`, { title: 'Weave', base: 'main', head: 'topic/weave' });
  assert.equal(opened.status, 201, opened.text);

  assert.equal((await ben.get(`${loom}/pulls/1`)).status, 200);
  for (const path of ['/pulls/1/commits', '/pulls/1/files', '/pulls/1.diff', '/pulls/1.patch'])
    assert.equal((await ben.get(`${loom}${path}`)).status, 403, path);
  assert.equal((await ben.get(`${loom}/commits/main/pull`)).status, 403);
});

test('H2: a pull request with billions of files ends with 422, and others go on', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, push, folder } = loom;
  const tree = await treeBomb(folder, { width: 30, depth: 6, name: 'n'.repeat(200) });
  const bomb = await ask('commit-tree', tree, '-p', 'main', '-m', 'Bomb');
  await push(`${bomb}:refs/heads/bomb`);
  const number = await open(ada, 'bomb');
  const other = await open(ada, 'topic/weave');

  assert.equal((await forge.get(`${PULLS}/${number}/files`)).status, 422);
  assert.equal((await forge.get(`${PULLS}/${number}/commits`)).status, 422);
  assert.deepEqual(await commitsOf(forge, number, 'files=false&stat=false'), [bomb]);
  const outcome = await forge.get(`${PULLS}/${number}.diff`).then(
    ({ status }) => status,
    () => 'broken off',
  );
  assert.ok(outcome === 422 || outcome === 'broken off', `${outcome}`);
  assert.deepEqual(namesOf(await filesOf(forge, other)), ['docs/plan.md']);
});

test('git ends when the client of a list of files or of a diff leaves', async (t) => {
  const loom = await startWoven(t);
  const { ada, forge, ask, push, folder } = loom;
  const tree = await treeBomb(folder, { width: 30, depth: 6 });
  const bomb = await ask('commit-tree', tree, '-p', 'main', '-m', 'Bomb');
  await push(`${bomb}:refs/heads/bomb`);
  const number = await open(ada, 'bomb');
  for (const path of ['/files', '.diff']) {
    const socket = await dial(t, forge);
    socket.write(head([`GET ${PULLS}/${number}${path} HTTP/1.1`]));
    await until(() => PROCESS_SLOTS.diffs.running > 0);
    socket.destroy();
    await until(() => PROCESS_SLOTS.diffs.running === 0);
  }
});
