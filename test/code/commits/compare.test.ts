import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { COMMIT_LIMITS } from '../../../src/code/commits/limits.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { LOOM, type Loom, startLoom, weave } from './history.ts';

async function startWoven(t: TestContext): Promise<Loom> {
  const loom = await startLoom(t);
  await weave(loom);
  await loom.push('main', 'side', 'topic/weave', 'v1');
  return loom;
}

interface Compared {
  readonly total_commits: number;
  readonly commits: readonly { readonly sha: string; readonly url: string }[];
  readonly files: readonly { readonly filename: string; readonly status: string }[];
}

const STATUSES: Record<string, string> = { A: 'added', D: 'removed', M: 'modified' };

/** Returns the files that git finds between two commits, in the form of the response. */
async function filesBetween({ ask }: Loom, from: string, to: string) {
  const lines = (await ask('diff', '--no-renames', '--name-status', from, to)).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .map(([status = '', filename]) => ({ filename, status: STATUSES[status] }));
}

async function compare(loom: Loom, basehead: string): Promise<Compared> {
  const { status, body, text } = await loom.forge.get(`${LOOM}/compare/${basehead}`);
  assert.equal(status, 200, `${basehead}: ${text}`);
  return body;
}

const shas = ({ commits }: Compared) => commits.map(({ sha }) => sha);

test('a comparison with three dots has the commits of the head since both have the same', async (t) => {
  const loom = await startWoven(t);

  for (const [base, head] of [
    ['main', 'topic/weave'],
    ['topic/weave', 'main'],
    ['side', 'main'],
    ['main', 'side'],
    ['v1', 'main'],
  ] as const) {
    const body = await compare(loom, `${base}...${head}`);
    const expected = await loom.listed(head, `^${base}`);
    assert.deepEqual(shas(body), expected, `${base}...${head}`);
    assert.equal(body.total_commits, expected.length);
    const common = await loom.ask('merge-base', base, head);
    assert.deepEqual(body.files, await filesBetween(loom, common, head));
  }
});

test('a comparison with two dots compares the files as they are', async (t) => {
  const loom = await startWoven(t);

  const body = await compare(loom, 'main..topic/weave');

  assert.deepEqual(shas(body), await loom.listed('topic/weave', '^main'));
  assert.deepEqual(body.files, await filesBetween(loom, 'main', 'topic/weave'));
});

test('a comparison takes tags, ids, abbreviated ids and encoded slashes, and a base that is left out is the default branch', async (t) => {
  const loom = await startWoven(t);
  const [side, main] = [await loom.ask('rev-parse', 'side'), await loom.ask('rev-parse', 'main')];
  const expected = await compare(loom, 'side...main');

  for (const basehead of [
    `${side}...${main}`,
    `${side.slice(0, 8)}...main`,
    'side...v1',
    'refs/heads/side...refs/tags/v1',
    'side...',
    'side...ada:main',
    'side...ada/loom:main',
  ])
    assert.deepEqual(await compare(loom, basehead), expected, basehead);
  const topic = await compare(loom, 'main...topic/weave');
  for (const basehead of ['main...topic%2Fweave', 'topic/weave', '...topic/weave'])
    assert.deepEqual(await compare(loom, basehead), topic, basehead);
});

test('unknown names and histories without a common commit are missing', async (t) => {
  const loom = await startWoven(t);
  await loom.ask('checkout', '-q', '--orphan', 'alone');
  await loom.commit('Alone', { 'z.txt': 'z\n' });
  await loom.push('alone');
  const blob = await loom.ask('rev-parse', 'main:docs/plan.md');
  const names = [
    'nothing',
    blob,
    'HEAD~1',
    '@%7Bu%7D',
    '0'.repeat(40),
    'main%5E',
    '--all',
    'eve:main',
    'nobody/loom:main',
  ];

  for (const name of names)
    assert.equal((await loom.forge.get(`${LOOM}/compare/main...${name}`)).status, 404, name);
  for (const name of names.slice(0, 6))
    assert.equal((await loom.forge.get(`${LOOM}/compare/${name}...main`)).status, 404, name);
  const apart = await loom.forge.get(`${LOOM}/compare/main...alone`);
  assert.equal(apart.status, 404);
  assert.match(apart.body.message, /^main and alone have no commit in common: compare .* with two dots/);
  assert.equal((await compare(loom, 'main..alone')).total_commits, 1);
  const empty = await loom.ada
    .repository('blank')
    .then(() => loom.ada.get('/api/v1/repos/ada/blank/compare/a...b'));
  assert.equal(empty.status, 404);
});

test('the head may be a branch of a fork, of the parent or of a sibling, if the caller may read it', async (t) => {
  const loom = await startWoven(t);
  const { forge } = loom;
  const [eve, ben] = [await forge.account('eve'), await forge.account('ben')];
  for (const [who, name] of [
    [eve, 'web'],
    [ben, 'loom'],
  ] as const) {
    const answer = await who.post(`${LOOM}/forks`, { name });
    assert.equal(answer.status, 202, answer.text);
  }
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', eve.remote('eve/web'), '.']);
  await git(folder, ['checkout', '-q', '-b', 'feature/x']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'In the fork']);
  await git(folder, ['push', '-q', 'origin', 'feature/x']);
  const tip = await git(folder, ['rev-parse', 'HEAD']);

  const fromParent = await compare(loom, 'main...eve:feature/x');
  assert.deepEqual([shas(fromParent), fromParent.files], [[tip], []]);
  const [commit] = fromParent.commits;
  assert.equal(commit?.url, `${forge.url}/api/v1/repos/eve/web/git/commits/${tip}`);
  assert.deepEqual(shas(await compare(loom, 'main...EVE/web:feature/x')), [tip]);
  const upward = await forge.get('/api/v1/repos/eve/web/compare/feature/x...ada:main');
  assert.deepEqual([upward.status, upward.body.total_commits], [200, 0]);
  const sideways = await forge.get('/api/v1/repos/ben/loom/compare/main...eve:feature/x');
  assert.deepEqual([sideways.status, sideways.body.total_commits], [200, 1]);
  const diff = await forge.get('/ada/loom/compare/main...eve:feature/x.patch');
  assert.deepEqual([diff.status, diff.text], [200, '']);

  const visibility = 'private';
  await forge.root.patch('/api/v1/admin/users/eve', { source_id: 0, login_name: 'eve', visibility });
  assert.equal((await forge.get(`${LOOM}/compare/main...eve:feature/x`)).status, 404);
  assert.equal((await forge.get(`${LOOM}/compare/main...eve/web:feature/x`)).status, 404);
  assert.equal((await eve.get(`${LOOM}/compare/main...eve:feature/x`)).status, 200);
});

test('a comparison of distant commits lists the newest ones, and all of them in pages', async (t) => {
  const loom = await startLoom(t);
  await loom.commit('Begin', { 'a.txt': '0\n' });
  await loom.ask('branch', 'start');
  const count = COMMIT_LIMITS.comparedCommitsListedMax + 20;
  const stream = Array.from({ length: count }, (_, index) =>
    [
      'commit refs/heads/main',
      `committer Ada <ada@example.org> ${1_800_000_000 + index * 60} +0000`,
      'data 0',
      '',
      ...(index === 0 ? ['from refs/heads/start^0'] : []),
      'M 100644 inline a.txt',
      'data 4',
      String(1000 + index),
      '',
    ].join('\n'),
  );
  await git(loom.folder, ['fast-import', '--quiet', '--force'], { input: stream.join('') });
  await loom.push('main', 'start');
  const all = await loom.listed('main', '^start');

  const whole = await compare(loom, 'start...main');
  assert.equal(whole.total_commits, count);
  assert.deepEqual(shas(whole), all.slice(0, COMMIT_LIMITS.comparedCommitsListedMax));
  assert.deepEqual(whole.files, [{ filename: 'a.txt', status: 'modified' }]);
  const page = await compare(loom, 'start...main?page=3&limit=20');
  assert.deepEqual([page.total_commits, shas(page)], [count, all.slice(40, 60)]);
});

test('a comparison has an ETag, a diff and patches', async (t) => {
  const loom = await startWoven(t);
  const { forge, ask } = loom;
  const url = `${LOOM}/compare/side...main`;
  const tag = (await forge.get(url)).headers.get('etag') ?? '';

  assert.equal((await forge.get(url, { headers: { 'if-none-match': tag } })).status, 304);
  assert.equal(
    (await forge.get(`${LOOM}/compare/side..main`, { headers: { 'if-none-match': tag } })).status,
    304,
  );
  assert.equal((await forge.get(`${url}?stat=false`, { headers: { 'if-none-match': tag } })).status, 200);
  const diff = await forge.get('/ada/loom/compare/topic/weave...main.diff');
  assert.equal(diff.text.trimEnd(), (await ask('diff', '-M', 'topic/weave...main')).trimEnd());
  const patches = await forge.get('/ada/loom/compare/topic/weave...main.patch');
  const subjects = [...patches.text.matchAll(/^Subject: \[PATCH[^\]]*\] (.*)$/gm)].map(
    ([, subject]) => subject,
  );
  assert.deepEqual(
    subjects,
    (await ask('log', '--reverse', '--no-merges', '--format=%s', 'topic/weave..main', '--', '.')).split('\n'),
  );
  const page = await forge.get('/ada/loom/compare/side...main');
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/, 'without an ending, it is a page');
});
