import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { copyOf, git, temporaryFolder } from '../../support/git/git.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';

const ROOT = '/api/v1/repos/ada/loom/git';

/** Two commits: the second one changes, deletes and adds a file. */
const copyCommits = copyOf(async (folder) => {
  await git(folder, ['init', '-q', '--template=', '-b', 'main']);
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/plan.md'), 'one\ntwo\n');
  await writeFile(join(folder, 'old.txt'), 'old\n');
  await symlink('docs/plan.md', join(folder, 'link'));
  await git(folder, ['add', '.']);
  await git(folder, ['commit', '-qm', 'Begin']);
  await writeFile(join(folder, 'docs/plan.md'), 'one\n2\nthree\n');
  await writeFile(join(folder, 'new.bin'), Buffer.of(0, 1, 2));
  await git(folder, ['rm', '-q', 'old.txt']);
  await git(folder, ['add', '.']);
  await git(folder, ['commit', '-qm', 'Change']);
  await git(folder, ['tag', '-am', 'First', 'v1']);
});

/** A repository with these commits, pushed by git. */
async function startLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const folder = await temporaryFolder(t);
  await copyCommits(folder);
  await git(folder, ['push', '-q', ada.remote('ada/loom'), 'main', 'v1']);
  const oid = (name: string) => git(folder, ['rev-parse', name]);
  return { forge, ada, oid };
}

test('a blob is read by its id, and an id of another kind is missing', async (t) => {
  const { forge, oid } = await startLoom(t);
  const sha = await oid('main:docs/plan.md');

  const { status, body } = await forge.get(`${ROOT}/blobs/${sha}`);

  assert.equal(status, 200);
  assert.deepEqual(body, {
    content: Buffer.from('one\n2\nthree\n').toString('base64'),
    encoding: 'base64',
    url: `${forge.url}${ROOT}/blobs/${sha}`,
    sha,
    size: 12,
  });
  for (const other of [await oid('main'), await oid('main^{tree}'), '0'.repeat(40), 'main', 'x', '--help'])
    assert.equal((await forge.get(`${ROOT}/blobs/${other}`)).status, 404, other);
});

test('several blobs are read by their ids, the last ones without content if they are too large together', async (t) => {
  const { forge, ada, oid } = await startLoom(t);
  const [plan, added] = [await oid('main:docs/plan.md'), await oid('main:new.bin')];
  const listed = (shas: string) => forge.get(`${ROOT}/blobs?shas=${shas}`);

  const { body, headers } = await listed(`${plan},${added},${plan}`);
  const one = (await forge.get(`${ROOT}/blobs/${plan}`)).body;
  assert.deepEqual(body, [one, (await forge.get(`${ROOT}/blobs/${added}`)).body, one]);
  assert.match(headers.get('etag') ?? '', /^"[0-9a-f]{40}"$/);
  assert.equal((await listed(Array(60).fill(plan).join(','))).body.length, 50);
  for (const bad of ['', ',', `${plan},${'0'.repeat(40)}`, await oid('main'), 'main', plan.slice(0, 8)])
    assert.equal((await listed(bad)).status, 400, bad);
  assert.equal((await forge.get(`${ROOT}/blobs`)).status, 400);
  const content = Buffer.alloc(6 * 1024 * 1024, 'x').toString('base64');
  const large = (await ada.post(`${ROOT}/blobs`, { content, encoding: 'base64' })).body.sha;
  const [whole, without, small] = (await listed(`${large},${large},${plan}`)).body;
  assert.ok(whole.content === content);
  assert.deepEqual([without.encoding, without.content, without.size], [null, null, 6 * 1024 * 1024]);
  assert.deepEqual(small, one);
});

test('the content of a blob at the size limit is in the response; above it, content and encoding are null', async (t) => {
  const { forge, ada } = await startLoom(t);
  const limit = 10 * 1024 * 1024;
  const blobOf = async (bytes: number) => {
    const content = Buffer.alloc(bytes, 'x').toString('base64');
    const { sha } = (await ada.post(`${ROOT}/blobs`, { content, encoding: 'base64' })).body;
    return (await forge.get(`${ROOT}/blobs/${sha}`)).body;
  };

  const [empty, at, above] = [await blobOf(0), await blobOf(limit), await blobOf(limit + 1)];

  assert.deepEqual([empty.content, empty.encoding, empty.size], ['', 'base64', 0]);
  assert.deepEqual([at.content.length, at.encoding, at.size], [Math.ceil(limit / 3) * 4, 'base64', limit]);
  assert.deepEqual([above.content, above.encoding, above.size], [null, null, limit + 1]);
});

test('a tree is listed by its id or by a ref, also with its folders, in pages', async (t) => {
  const { forge, oid } = await startLoom(t);
  const [commit, tree] = [await oid('main'), await oid('main^{tree}')];
  const listed = async (query: string) => (await forge.get(`${ROOT}/trees/${query}`)).body;
  const paths = (body: { tree: { path: string }[] }) => body.tree.map(({ path }) => path);

  const whole = await listed(tree);
  assert.deepEqual(
    { ...whole, tree: whole.tree[0] },
    {
      sha: tree,
      url: `${forge.url}${ROOT}/trees/${tree}`,
      tree: {
        path: 'docs',
        mode: '040000',
        type: 'tree',
        size: 0,
        sha: await oid('main:docs'),
        url: `${forge.url}${ROOT}/trees/${await oid('main:docs')}`,
      },
      truncated: false,
      page: 1,
      total_count: 3,
    },
  );
  assert.deepEqual(paths(whole), ['docs', 'link', 'new.bin']);
  assert.deepEqual(paths(await listed(`${tree}?recursive=true`)), [
    'docs',
    'docs/plan.md',
    'link',
    'new.bin',
  ]);
  for (const name of ['main', 'v1', commit, commit.slice(0, 8)])
    assert.deepEqual(await listed(name), {
      ...whole,
      sha: commit,
      url: `${forge.url}${ROOT}/trees/${commit}`,
    });
  const second = await listed('main?recursive=1&per_page=3&page=2');
  assert.deepEqual(paths(second), ['new.bin']);
  assert.deepEqual([second.page, second.total_count, second.truncated], [2, 4, false]);
  assert.deepEqual(paths(await listed('main?page=9')), []);
  for (const other of [await oid('main:docs/plan.md'), '0'.repeat(40), 'nothing'])
    assert.equal((await forge.get(`${ROOT}/trees/${other}`)).status, 404, other);
});

test('a tree is truncated on the pages that entries follow, so a client that reads on while it is ends', async (t) => {
  const { forge } = await startLoom(t);

  for (const [perPage, expected] of [
    [1, [true, true, true, false, false]],
    [2, [true, false, false]],
    [3, [true, false, false]],
    [4, [false, false]],
    [5, [false, false]],
  ] as const)
    for (const [index, truncated] of expected.entries()) {
      const query = `recursive=1&per_page=${perPage}&page=${index + 1}`;
      const { body } = await forge.get(`${ROOT}/trees/main?${query}`);
      assert.deepEqual([body.truncated, body.total_count], [truncated, 4], query);
    }
});

test('a tree is read by a ref and the path of a folder', async (t) => {
  const { forge, oid } = await startLoom(t);
  const get = (name: string) => forge.get(`${ROOT}/trees/${encodeURIComponent(name)}`);
  const docs = (await forge.get(`${ROOT}/trees/${await oid('main:docs')}`)).body;

  for (const name of ['main:docs', 'main:docs/', 'v1:docs', `${await oid('main')}:docs`])
    assert.deepEqual((await get(name)).body, docs, name);
  assert.equal((await get('main:')).body.sha, await oid('main^{tree}'));
  for (const name of [
    'main:no',
    'main:docs/plan.md',
    'main:../docs',
    'no:docs',
    ':docs',
    'main~1:docs',
    'main:link',
  ])
    assert.equal((await get(name)).status, 404, name);
});

test('a commit shows its changes, its numbers of lines and its author', async (t) => {
  const { forge, ada, oid } = await startLoom(t);
  const [sha, parent] = [await oid('main'), await oid('main^')];

  const { status, body } = await forge.get(`${ROOT}/commits/${sha}`);

  assert.equal(status, 200);
  assert.equal(body.url, `${forge.url}${ROOT}/commits/${sha}`);
  assert.equal(body.html_url, `${forge.url}/ada/loom/commit/${sha}`);
  assert.equal(body.commit.message, 'Change\n');
  assert.deepEqual(body.commit.tree.sha, await oid('main^{tree}'));
  assert.equal(body.commit.verification.verified, false);
  assert.deepEqual(
    body.parents.map((each: { sha: string }) => each.sha),
    [parent],
  );
  assert.deepEqual(body.files, [
    { filename: 'docs/plan.md', status: 'modified' },
    { filename: 'new.bin', status: 'added' },
    { filename: 'old.txt', status: 'removed' },
  ]);
  assert.deepEqual(body.stats, { total: 4, additions: 2, deletions: 2 });
  const first = (await forge.get(`${ROOT}/commits/${parent}`)).body;
  assert.deepEqual(first.stats, { total: 4, additions: 4, deletions: 0 });
  assert.deepEqual((await forge.get(`${ROOT}/commits/v1`)).body, body);
  const less = await forge.get(`${ROOT}/commits/main?stat=false&files=false&verification=false`);
  assert.deepEqual([less.body.files, less.body.stats, less.body.commit.verification], [null, null, null]);
  assert.equal((await forge.get(`${ROOT}/commits/${'0'.repeat(40)}`)).status, 404);
  assert.equal((await forge.get(`${ROOT}/commits/a..b`)).status, 422);
  assert.equal((await ada.get(`${ROOT}/commits/main`)).body.author.login, 'ada');
});

test('an e-mail address that the viewer may not see does not connect a commit with its account', async (t) => {
  const { forge, ada } = await startLoom(t);
  const eve = await forge.account('eve');
  const author = async (person: { get: typeof forge.get }) =>
    (await person.get(`${ROOT}/commits/main`)).body.author?.login ?? null;

  assert.equal(await author(forge), null);
  assert.equal(await author(eve), 'ada');
  await ada.patch('/api/v1/user/settings', { hide_email: true });
  assert.equal(await author(eve), null);

  const content = Buffer.from('x').toString('base64');
  await ada.post('/api/v1/repos/ada/loom/contents/noreply.txt', { content });
  assert.equal(await author(forge), 'ada', 'a noreply address names its account');
});

test('H2: a list of a tree with millions of entries ends at a limit', async (t) => {
  const { forge, ada } = await startLoom(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'bomb']);
  const tree = await treeBomb(folder, { width: 10, depth: 7 });
  const commit = await git(folder, ['commit-tree', '-m', 'Bomb', tree]);
  await git(folder, ['push', '-q', ada.remote('ada/loom'), `${commit}:refs/heads/bomb`]);

  const { status, body } = await forge.get(`${ROOT}/trees/bomb?recursive=true&per_page=5`);

  assert.equal(status, 200);
  assert.deepEqual([body.tree.length, body.total_count, body.truncated], [5, 100_000, true]);
  const last = await forge.get(`${ROOT}/trees/bomb?recursive=true&per_page=1000&page=100`);
  assert.deepEqual([last.body.tree.length, last.body.truncated], [1000, true], 'others are not listed');
  const after = await forge.get(`${ROOT}/trees/bomb?recursive=true&per_page=1000&page=101`);
  assert.deepEqual(
    [after.body.tree, after.body.truncated],
    [[], false],
    'a client that reads all pages ends',
  );
});

test('H2: a commit that changes billions of files ends with 422, unless its changes are not asked for', async (t) => {
  const { forge, ada } = await startLoom(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'bomb']);
  // With long names, git reaches its limit of memory sooner.
  const tree = await treeBomb(folder, { width: 32, depth: 8, name: 'n'.repeat(200) });
  const commit = await git(folder, ['commit-tree', '-m', 'Bomb', tree]);
  await git(folder, ['push', '-q', ada.remote('ada/loom'), `${commit}:refs/heads/bomb`]);

  const refused = await forge.get(`${ROOT}/commits/${commit}`);
  const bare = await forge.get(`${ROOT}/commits/${commit}?stat=false&files=false`);

  assert.equal(refused.status, 422);
  assert.equal(refused.headers.get('etag'), null, 'an error is not a version of the commit');
  assert.match(refused.body.message, /too many changes to list/);
  assert.deepEqual([bare.status, bare.body.sha], [200, commit]);
});
