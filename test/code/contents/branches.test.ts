import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { file, statusAndMessage } from './engine.ts';
import { base64, pushedRepository } from './files.ts';

/** A repository whose branches `main` and `dev` are at the same commit. */
async function repositoryWithDev(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit: first, push } = await pushedRepository(t, ada, 'engine', { a: '1' });
  await git(folder, ['branch', 'dev']);
  await push('dev');
  const has = async (branch: string, path: string) =>
    (await ada.get(`${file(path)}?ref=${branch}`)).status === 200;
  return { ada, first, has };
}

test('a change commits to its branch, or to a new branch that starts from it', async (t) => {
  const { ada, first, has } = await repositoryWithDev(t);

  const onDev = await ada.post(file('b'), { content: '', branch: 'dev' });
  const onNew = await ada.post(file('c'), { content: '', branch: 'dev', new_branch: 'feature/x' });
  const onNewFromDefault = await ada.post(file('d'), { content: '', new_branch: 'other' });
  const sameName = await ada.post(file('e'), { content: '', branch: 'dev', new_branch: 'dev' });

  assert.deepEqual(
    [onDev, onNew, onNewFromDefault, sameName].map((answer) => answer.status),
    [201, 201, 201, 201],
  );
  assert.deepEqual(onNew.body.commit.parents[0].sha, onDev.body.commit.sha);
  assert.deepEqual(onNewFromDefault.body.commit.parents[0].sha, first);
  assert.ok(onNew.body.content.url.endsWith('?ref=feature%2Fx'));
  assert.deepEqual([await has('main', 'b'), await has('dev', 'b')], [false, true]);
  assert.deepEqual([await has('feature/x', 'c'), await has('dev', 'c')], [true, false]);
  assert.equal(await has('dev', 'e'), true);
});

test('a change to an existing new branch is rejected unless it overwrites the branch', async (t) => {
  const { ada, first, has } = await repositoryWithDev(t);
  await ada.post(file('b'), { content: '', branch: 'dev' });
  const change = { content: '', new_branch: 'dev' };

  const rejected = await ada.post(file('f'), change);
  assert.deepEqual(statusAndMessage(rejected), [422, 'branch already exists [name: dev]']);
  assert.deepEqual([await has('dev', 'f'), await has('dev', 'b')], [false, true]);

  const forced = await ada.post(file('f'), { ...change, force_overwrite_new_branch: true });
  assert.deepEqual([forced.status, forced.body.commit.parents[0].sha], [201, first]);
  assert.deepEqual([await has('dev', 'f'), await has('dev', 'b')], [true, false]);
});

test('invalid branches are rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { sha } = (await ada.get(file('README.md'))).body;

  assert.equal((await ada.post(file('a'), { content: '', branch: 'nope' })).status, 404);
  assert.equal((await ada.put(file('README.md'), { content: '', sha, branch: 'nope' })).status, 404);
  assert.equal((await ada.delete(file('README.md'), { sha, branch: 'nope' })).status, 404);
  for (const name of [
    'a..b',
    '-x',
    'HEAD',
    'refs/heads/x',
    'a b',
    'a\0',
    'x'.repeat(2000),
    'main/below',
    '\ud800',
    'f'.repeat(40),
    'a.lock',
  ]) {
    const about = JSON.stringify(name).slice(0, 30);
    assert.equal((await ada.post(file('a'), { content: '', new_branch: name })).status, 422, about);
    assert.equal((await ada.delete(file('README.md'), { sha, new_branch: name })).status, 400, about);
  }
});

for (const format of ['sha1', 'sha256'] as const) {
  test(`the first commit of an empty ${format} repository creates the chosen branch`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    await ada.repository('engine', { object_format_name: format });
    assert.deepEqual(statusAndMessage(await ada.put(file('a'), { content: '', sha: '0'.repeat(40) })), [
      422,
      'repo is empty',
    ]);
    assert.equal((await ada.delete(file('a'), { sha: '0'.repeat(40) })).status, 404);

    const created = await ada.post(file('docs/a'), { content: base64('x'), branch: 'trunk' });

    assert.equal(created.status, 201);
    assert.deepEqual(created.body.commit.parents, []);
    const { default_branch: branch, empty } = (await ada.get('/api/v1/repos/ada/engine')).body;
    assert.deepEqual([branch, empty], ['trunk', false]);
    const folder = await temporaryFolder(t);
    await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
    assert.equal(await git(folder, ['ls-files']), 'docs/a');
    assert.equal(await git(folder, ['fsck', '--strict']), '');
  });
}
