import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CONTENTS_LIMITS } from '../../../src/code/contents/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, copyOf, git, temporaryFolder } from '../../support/git/git.ts';
import { untilNothingIsLeft } from '../transport/quarantines.ts';
import { file, historyOf, statusAndMessage } from './engine.ts';
import { base64, writeFiles } from './files.ts';

const ROOT = '/api/v1/repos/ada/engine/contents';

const OPERATIONS = '[Files.Operation]: must be one of create, update, upload, rename, delete';

/** A history with a plain file, an executable, a symlink and a folder. */
const copyKinds = copyOf(async (folder) => {
  await git(folder, ['init', '-q', '--template=', '-b', 'main']);
  await writeFiles(folder, {
    'a.txt': 'a',
    'b.txt': 'b',
    'docs/plan.md': '# Plan\n',
    'run.sh': '#!/bin/sh\n',
  });
  await chmod(join(folder, 'run.sh'), 0o755);
  await symlink('a.txt', join(folder, 'link'));
  return commitAll(folder, 'Kinds');
});

/** A repository with this history, pushed by git. */
async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await temporaryFolder(t);
  const tip = await copyKinds(folder);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const shaOf = (path: string) => git(folder, ['rev-parse', `HEAD:${path}`]);
  const change = (files: readonly object[], options: object = {}) => ada.post(ROOT, { files, ...options });
  return { forge, ada, folder, tip, shaOf, change };
}

test('several changes are one commit, and the response has each file in its order', async (t) => {
  const { ada, tip, shaOf, change } = await startEngine(t);

  const changed = await change(
    [
      { operation: 'create', path: 'new/one.txt', content: base64('one') },
      { operation: 'update', path: 'a.txt', content: base64('A'), sha: await shaOf('a.txt') },
      { operation: 'delete', path: 'b.txt', sha: await shaOf('b.txt') },
      {
        operation: 'update',
        path: 'bin/run.sh',
        from_path: 'run.sh',
        content: base64('#!/bin/sh\nexit\n'),
        sha: await shaOf('run.sh'),
      },
      { operation: 'update', path: 'plan.md', from_path: 'docs/plan.md', sha: await shaOf('docs/plan.md') },
      { operation: 'create', path: '/empty/' },
    ],
    { message: 'All at once', author: { name: 'Ada L', email: 'ada.l@example.org' }, signoff: true },
  );

  assert.equal(changed.status, 201, changed.text);
  const { files, commit, verification } = changed.body;
  assert.deepEqual(
    files.map((each: { path: string; size: number } | null) => each && [each.path, each.size]),
    [['new/one.txt', 3], ['a.txt', 1], null, ['bin/run.sh', 15], ['plan.md', 7], ['empty', 0]],
  );
  assert.deepEqual(files[0], (await ada.get(file('new/one.txt'))).body);
  assert.equal(commit.message, 'All at once\n\nSigned-off-by: Ada L <ada.l@example.org>');
  assert.deepEqual(
    commit.parents.map((each: { sha: string }) => each.sha),
    [tip],
  );
  assert.deepEqual([verification.verified, verification.reason], [false, 'gpg.error.not_signed_commit']);
  const clone = await temporaryFolder(t);
  await git(clone, ['clone', '-q', ada.remote('ada/engine'), '.']);
  assert.equal(await git(clone, ['rev-parse', 'HEAD']), commit.sha);
  assert.deepEqual(
    (await git(clone, ['ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD'])).split('\n'),
    [
      '100644 a.txt',
      '100755 bin/run.sh',
      '100644 empty',
      '120000 link',
      '100644 new/one.txt',
      '100644 plan.md',
    ],
  );
  assert.equal(await git(clone, ['fsck', '--strict']), '');
});

test('the default message has one line for each kind of change', async (t) => {
  const { shaOf, change } = await startEngine(t);

  const { body } = await change([
    { operation: 'delete', path: 'b.txt', sha: await shaOf('b.txt') },
    { operation: 'create', path: 'one', content: '' },
    { operation: 'update', path: 'a.txt', content: base64('A'), sha: await shaOf('a.txt') },
    { operation: 'create', path: 'two', content: '' },
  ]);
  const { body: single } = await change([{ operation: 'create', path: 'three', content: '' }]);

  assert.equal(body.commit.message, 'Add one, two\nUpdate a.txt\nDelete b.txt\n');
  assert.equal(single.commit.message, 'Add three\n');
});

test('an upload creates or replaces a file, and a rename keeps its content', async (t) => {
  const { ada, shaOf, change } = await startEngine(t);
  const stale = 'ba5eba11'.repeat(5);

  const { status, body } = await change([
    { operation: 'upload', path: 'new', content: base64('new') },
    { operation: 'upload', path: 'run.sh', content: base64('#!/bin/sh\n:\n') },
    { operation: 'upload', path: 'b.txt', content: base64('B'), sha: await shaOf('b.txt') },
    { operation: 'rename', path: 'docs/moved.md', from_path: 'docs/plan.md', content: '' },
    { operation: 'rename', path: 'a.md', from_path: 'a.txt', sha: await shaOf('a.txt') },
  ]);

  assert.equal(status, 201);
  assert.equal(body.commit.message, 'Update new, run.sh, b.txt, docs/moved.md, a.md\n');
  assert.deepEqual(
    body.files.map((each: { sha: string; size: number }) => each.size),
    [3, 12, 1, 7, 1],
  );
  assert.equal(body.files[4].sha, await shaOf('a.txt'));
  const tree = (await ada.get('/api/v1/repos/ada/engine/git/trees/main')).body.tree;
  assert.equal(tree.find((each: { path: string }) => each.path === 'run.sh').mode, '100755');
  for (const bad of [
    { operation: 'upload', path: 'b.txt', content: '', sha: stale },
    { operation: 'upload', path: 'docs', content: '' },
    { operation: 'upload', path: 'link', content: '' },
    { operation: 'rename', path: 'x' },
    { operation: 'rename', path: 'b.txt', from_path: 'a.md' },
    { operation: 'rename', path: 'x', from_path: 'docs' },
    { operation: 'rename', path: 'x', from_path: 'a.md', sha: stale },
  ])
    assert.equal((await change([bad])).status, 422, JSON.stringify(bad));
  assert.equal((await change([{ operation: 'rename', path: 'x', from_path: 'no' }])).status, 404);
  assert.equal((await change([{ operation: 'upload', path: 'x', content: '', sha: stale }])).status, 404);
});

test('a change finds the paths that the changes before it have freed', async (t) => {
  const { ada, shaOf, change } = await startEngine(t);
  const [a, b] = [await shaOf('a.txt'), await shaOf('b.txt')];

  const swapped = await change([
    { operation: 'update', path: 'between', from_path: 'a.txt', sha: a },
    { operation: 'update', path: 'a.txt', from_path: 'b.txt', sha: b },
    { operation: 'create', path: 'b.txt', content: base64('new') },
  ]);
  const replaced = await change([
    { operation: 'delete', path: 'between', sha: a },
    { operation: 'create', path: 'between/a', content: '' },
  ]);

  assert.deepEqual([swapped.status, replaced.status], [201, 201]);
  const contentOf = async (path: string) =>
    Buffer.from((await ada.get(file(path))).body.content, 'base64').toString();
  assert.deepEqual(
    [await contentOf('a.txt'), await contentOf('b.txt'), await contentOf('between/a')],
    ['b', 'new', ''],
  );
});

test('one invalid change rejects all of them, with its path in the message', async (t) => {
  const { forge, ada, tip, shaOf, change } = await startEngine(t);
  const [sha, stale] = [await shaOf('a.txt'), 'ba5eba11'.repeat(5)];
  const good = { operation: 'create', path: 'good', content: base64('x') };
  const missing = "The target couldn't be found.";
  const cases: [bad: object, status: number, message: string | RegExp][] = [
    [{ operation: 'create', path: 'a.txt' }, 422, 'repository file already exists [path: a.txt]'],
    [{ operation: 'create', path: 'docs' }, 422, 'folder already exists [path: docs]'],
    [{ operation: 'create', path: 'link' }, 422, /link/],
    [{ operation: 'create', path: 'good' }, 422, 'repository file already exists [path: good]'],
    [{ operation: 'create', path: 'good/below' }, 422, /good\/below leads through good/],
    [{ operation: 'create', path: 'link/below' }, 422, /link/],
    [{ operation: 'create', path: '.git/config' }, 422, /\[path: \.git\/config\]/],
    [{ operation: 'create', path: 'x/../y' }, 422, /\[path: x\/\.\.\/y\]/],
    [{ operation: 'create', path: '/' }, 422, /path/],
    [{ operation: 'create', path: 'x', content: 'YQ' }, 422, '[Content]: not standard base64 [path: x]'],
    [{ operation: 'update', path: 'a.txt', content: '' }, 422, '[SHA]: Required [path: a.txt]'],
    [{ operation: 'update', path: 'a.txt', sha }, 422, '[Content]: Required [path: a.txt]'],
    [{ operation: 'update', path: 'a.txt', content: '', sha: stale }, 422, /\[path: a\.txt, given: ba5eba11/],
    [{ operation: 'update', path: 'no', content: '', sha }, 404, missing],
    [{ operation: 'update', path: 'link', content: '', sha: await shaOf('link') }, 422, /link/],
    [{ operation: 'update', path: 'good', content: '', sha }, 422, /once in a commit \[path: good\]/],
    [{ operation: 'update', path: 'b.txt', from_path: 'a.txt', sha }, 422, /exists \[path: b\.txt\]/],
    [{ operation: 'update', path: 'x', from_path: '../a.txt', sha }, 422, /\[path: \.\.\/a\.txt\]/],
    [{ operation: 'delete', path: 'a.txt' }, 422, '[SHA]: Required [path: a.txt]'],
    [{ operation: 'delete', path: 'a.txt', sha: stale }, 422, /\[path: a\.txt, given/],
    [{ operation: 'delete', path: 'no', sha }, 404, missing],
    [{ operation: 'delete', path: 'docs', sha: await shaOf('docs') }, 422, /docs/],
    [{ operation: 'copy', path: 'a.txt', sha }, 422, OPERATIONS],
    [{ path: 'x', content: '' }, 422, '[Operation]: Required'],
    [{ operation: 'create', content: '' }, 422, '[Path]: Required'],
    [{ operation: 'create', path: 'x', content: 1 }, 422, /Content/],
  ];
  for (const [bad, status, message] of cases) {
    const [got, text] = statusAndMessage(await change([good, bad]));
    assert.equal(got, status, JSON.stringify(bad));
    if (typeof message === 'string') assert.equal(text, message);
    else assert.match(text, message);
  }
  assert.deepEqual(statusAndMessage(await change([])), [422, '[Files]: Required']);
  assert.equal((await ada.post(ROOT, {})).status, 422);
  assert.equal((await change([good], { branch: 'nope' })).status, 404);
  assert.equal((await change([good], { new_branch: 'a..b' })).status, 422);
  assert.equal((await historyOf(t, ada, '%H'))[0], tip);
  await untilNothingIsLeft(forge);
});

test('several files make the first commit of an empty repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const create = { operation: 'create', path: 'a', content: base64('a') };
  const sha = '0'.repeat(40);
  const post = (files: readonly object[], options = {}) => ada.post(ROOT, { files, ...options });

  const update = await post([create, { operation: 'update', path: 'b', content: '', sha }]);
  assert.deepEqual(statusAndMessage(update), [422, 'repo is empty']);
  assert.equal((await post([{ operation: 'delete', path: 'b', sha }])).status, 404);
  const created = await post([create, { ...create, path: 'docs/b' }], { branch: 'trunk' });

  assert.equal(created.status, 201);
  assert.deepEqual(created.body.commit.parents, []);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.default_branch, 'trunk');
});

test('large and many contents arrive as they were sent, in any order of the members', async (t) => {
  const { forge, ada } = await startEngine(t);
  const contents = [300_000, 10, 0, 1_500_000, 70_000].map((size) => randomBytes(size));
  const many = Array.from({ length: 200 }, (_, index) => randomBytes(index * 50));
  const files = [...contents, ...many].map((bytes, index) =>
    index % 2 === 0
      ? { content: base64(bytes), path: `f/${index % 7}/${index}`, operation: 'create' }
      : { operation: 'create', path: `f/${index % 7}/${index}`, content: base64(bytes) },
  );

  const changed = await ada.post(ROOT, { new_branch: 'bulk', files, message: 'Bulk' });

  assert.equal(changed.status, 201, changed.text.slice(0, 500));
  const clone = await temporaryFolder(t);
  await git(clone, ['clone', '-q', '-b', 'bulk', ada.remote('ada/engine'), '.']);
  for (const [index, bytes] of [...contents, ...many].entries()) {
    const path = `f/${index % 7}/${index}`;
    assert.ok(bytes.equals(await readFile(join(clone, path))), path);
    assert.deepEqual(
      [changed.body.files[index].path, changed.body.files[index].size],
      [path, bytes.length],
      path,
    );
  }
  assert.equal(await git(clone, ['fsck', '--strict']), '');
  await untilNothingIsLeft(forge);
});

test('the last of duplicate members counts, as in JSON', async (t) => {
  const { ada } = await startEngine(t);
  const body = `{"files":[{"operation":"create","path":"no","content":"${base64('no')}"}],
    "f\\u0069les":[{"operation":"create","path":"yes","content":"${base64('no')}","content":"${base64('yes')}"}]}`;

  const changed = await ada.send('POST', ROOT, { body, headers: { 'content-type': 'application/json' } });

  assert.equal(changed.status, 201, changed.text);
  assert.deepEqual(
    changed.body.files.map((each: { path: string; content: string }) => [each.path, each.content]),
    [['yes', base64('yes')]],
  );
});

test('H3: the number of files in one request is bounded', async (t) => {
  const { forge, change } = await startEngine(t);
  const deletions = Array.from({ length: CONTENTS_LIMITS.filesPerChangeMax + 1 }, (_, index) => ({
    operation: 'delete',
    path: `${index}`,
    sha: '0'.repeat(40),
  }));
  const creations = deletions.map(({ path }) => ({ operation: 'create', path, content: '' }));
  const tooMany = [422, `[Files]: MaxSize(${CONTENTS_LIMITS.filesPerChangeMax})`];

  assert.deepEqual(statusAndMessage(await change(deletions)), tooMany);
  assert.deepEqual(statusAndMessage(await change(creations)), tooMany);
  await untilNothingIsLeft(forge);
});

test('C2: several files cannot be written to a path that some file system reads as .git', async (t) => {
  const { change } = await startEngine(t);

  for (const path of [
    '.GIT/x',
    'a/git~1',
    '.git ',
    '.g\u200cit',
    'a\\b',
    'nul\0',
    '..',
    'a//b',
    'é'.repeat(128),
  ]) {
    const { status } = await change([{ operation: 'create', path, content: '' }]);
    assert.equal(status, 422, JSON.stringify(path));
  }
});

test('C3: several files cannot be written through or below a symlink, also not one after the other', async (t) => {
  const { ada, tip, shaOf, change } = await startEngine(t);
  const [sha, link] = [await shaOf('a.txt'), await shaOf('link')];

  for (const files of [
    [{ operation: 'upload', path: 'link/x', content: '' }],
    [{ operation: 'rename', path: 'link/x', from_path: 'a.txt' }],
    [
      { operation: 'rename', path: 'link/x', from_path: 'link' },
      { operation: 'create', path: 'link' },
    ],
    [{ operation: 'update', path: 'link', content: '', sha: link }],
    [{ operation: 'upload', path: 'link', content: '', sha: link }],
    [
      { operation: 'rename', path: 'moved', from_path: 'link' },
      { operation: 'create', path: 'moved/x', content: '' },
    ],
    [
      { operation: 'delete', path: 'a.txt', sha },
      { operation: 'create', path: 'link/x', content: '' },
    ],
  ])
    assert.equal((await change(files)).status, 422, JSON.stringify(files));
  assert.equal((await historyOf(t, ada, '%H'))[0], tip);
});

test('a symlink is moved, and replaced by a file in one commit; each stays what it is', async (t) => {
  const { ada, folder, shaOf, change } = await startEngine(t);
  const link = await shaOf('link');
  const modes = async () => {
    await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
    return git(folder, ['ls-tree', '--format=%(objectmode) %(path)', 'FETCH_HEAD']);
  };

  const renamed = await change([{ operation: 'rename', path: 'renamed', from_path: 'link', sha: link }]);
  assert.deepEqual(
    renamed.body.files.map((each: { path: string; type: string; target: string }) => [
      each.path,
      each.type,
      each.target,
    ]),
    [['renamed', 'symlink', 'a.txt']],
  );
  const moved = await ada.put(file('moved'), { content: base64('b.txt'), sha: link, from_path: 'renamed' });
  assert.deepEqual([moved.body.content.type, moved.body.content.target], ['symlink', 'b.txt']);
  assert.match(await modes(), /^120000 moved$/m);

  const replaced = await change([
    { operation: 'delete', path: 'moved', sha: moved.body.content.sha },
    { operation: 'create', path: 'moved', content: base64('a file') },
  ]);
  assert.equal(replaced.status, 201, replaced.text);
  assert.match(await modes(), /^100644 moved$/m);
  assert.equal((await ada.get(file('b.txt'))).body.content, base64('b'));
});

test('a symlink and a submodule are deleted, over both routes', async (t) => {
  const { ada, folder, tip, shaOf, change } = await startEngine(t);
  for (const path of ['lib', 'other']) {
    await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${tip},${path}`]);
  }
  await git(folder, ['commit', '-qm', 'Submodules']);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const { sha } = (await ada.get(file('lib'))).body;
  assert.equal(sha, tip);

  assert.equal((await ada.delete(file('lib'), { sha })).status, 200);
  assert.equal((await ada.delete(file('link'), { sha: await shaOf('link') })).status, 200);
  assert.equal((await change([{ operation: 'delete', path: 'other', sha }])).status, 201);

  const left = (await ada.get(ROOT)).body.map(({ name }: { name: string }) => name);
  assert.deepEqual(left, ['a.txt', 'b.txt', 'docs', 'run.sh']);
});

test('a folder that loses its last file frees its name for a file, and a file its name for a folder', async (t) => {
  const { ada, folder, shaOf, change } = await startEngine(t);
  const plan = { operation: 'delete', path: 'docs/plan.md', sha: await shaOf('docs/plan.md') };
  const deep = [
    { operation: 'create', path: 'deep/x/1', content: '' },
    { operation: 'create', path: 'deep/2', content: '' },
  ];
  const { files } = (await change(deep)).body;
  const [one, two] = files.map(({ path, sha }: { path: string; sha: string }) => ({
    operation: 'delete',
    path,
    sha,
  }));

  const half = await change([one, { operation: 'create', path: 'deep', content: '' }]);
  assert.deepEqual(statusAndMessage(half), [422, 'folder already exists [path: deep]']);
  const refilled = await change([
    plan,
    { operation: 'create', path: 'docs/new', content: '' },
    { operation: 'create', path: 'docs', content: '' },
  ]);
  assert.deepEqual(statusAndMessage(refilled), [422, 'folder already exists [path: docs]']);
  const changed = await change([
    one,
    two,
    { operation: 'create', path: 'deep', content: base64('file') },
    { operation: 'update', path: 'docs', from_path: 'docs/plan.md', content: '', sha: plan.sha },
    { operation: 'delete', path: 'a.txt', sha: await shaOf('a.txt') },
    { operation: 'create', path: 'a.txt/below', content: '' },
  ]);
  assert.equal(changed.status, 201, changed.text);

  await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
  assert.equal(
    await git(folder, ['ls-tree', '-r', '--name-only', 'FETCH_HEAD']),
    ['a.txt/below', 'b.txt', 'deep', 'docs', 'link', 'run.sh'].join('\n'),
  );
  assert.equal(await git(folder, ['fsck', '--strict', '--no-dangling']), '');
});

test('a harmful .gitmodules is rejected among other files, in memory or not', async (t) => {
  const { forge, ada, tip, change } = await startEngine(t);
  const url = '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n';
  const harmful = { operation: 'create', path: 'GITMOD~1', content: base64(url) };
  const plain = { ...harmful, path: '.gitmodules' };
  const fill = Array.from({ length: 20 }, (_, index) => ({
    operation: 'create',
    path: `fill/${index}`,
    content: base64(randomBytes(60_000)),
  }));

  for (const files of [[plain], [...fill, plain], [...fill, harmful, plain]])
    assert.equal((await change(files)).status, 422, `${files.length} files`);
  assert.equal((await historyOf(t, ada, '%H'))[0], tip);
  await untilNothingIsLeft(forge);
});

test('H8: concurrent changes of several files lose nothing, and one of two changes of a path is rejected', async (t) => {
  const { ada, change } = await startEngine(t);
  const create = (...paths: readonly string[]) =>
    change(paths.map((path) => ({ operation: 'create', path, content: base64(path) })));

  const apart = await Promise.all([create('x/1', 'y/1'), create('x/2', 'y/2'), create('x/3', 'y/3')]);
  const same = await Promise.all([create('z/1', 'both'), create('z/2', 'both')]);

  assert.deepEqual(
    apart.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.deepEqual(same.map(({ status }) => status).sort(), [201, 422]);
  const { body } = await ada.get(`${ROOT}/z`);
  assert.equal(body.length, 1, 'nothing of the rejected change is there');
  for (const folder of ['x', 'y']) assert.equal((await ada.get(`${ROOT}/${folder}`)).body.length, 3);
});
