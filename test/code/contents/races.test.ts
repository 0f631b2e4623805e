import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { base64, contentsOf } from './files.ts';

test('H8: concurrent creations of different files on one branch all succeed, each as one commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const paths = Array.from({ length: 16 }, (_, index) => `folder/${index % 3}/file-${index}`);

  const answers = await Promise.all(
    paths.map((path) => ada.post(contentsOf('ada/engine', path), { content: base64(path) })),
  );

  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  assert.deepEqual((await git(folder, ['ls-files', 'folder'])).split('\n').sort(), [...paths].sort());
  const commits = (await git(folder, ['log', '--format=%H %P'])).split('\n');
  assert.equal(commits.length, paths.length + 1);
  assert.ok(
    commits.every((line) => line.split(' ').length <= 2),
    'the history is linear',
  );
  const oids = commits.map((line) => line.split(' ')[0]);
  assert.ok(answers.every((answer) => oids.includes(answer.body.commit.sha)));
  assert.equal(await git(folder, ['fsck', '--strict']), '');
});

test('H8: of concurrent changes to one file, one succeeds and the others get a conflict', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const url = contentsOf('ada/engine', 'README.md');
  const { sha } = (await ada.get(url)).body;
  const writers = ['one', 'two', 'three', 'four', 'five', 'six'];

  const answers = await Promise.all(writers.map((text) => ada.put(url, { content: base64(text), sha })));

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 422, 422, 422, 422, 422]);
  const winner = answers.findIndex((answer) => answer.status === 200);
  assert.equal((await ada.get(url)).body.content, base64(writers[winner] ?? ''));
});

test('H8: of concurrent PUTs without sha of one missing file, one creates it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const url = contentsOf('ada/engine', 'same');
  const writers = ['one', 'two', 'three', 'four'];

  const answers = await Promise.all(writers.map((text) => ada.put(url, { content: base64(text) })));

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 422, 422, 422]);
  const winner = answers.findIndex((answer) => answer.status === 201);
  assert.equal((await ada.get(url)).body.content, base64(writers[winner] ?? ''));
});

test('H8: of concurrent creations of one file in an empty repository, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const create = (path: string) => ada.post(contentsOf('ada/engine', path), { content: base64('x') });

  const same = await Promise.all([create('a'), create('a'), create('a'), create('a')]);

  assert.deepEqual(same.map((answer) => answer.status).sort(), [201, 422, 422, 422]);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/contents')).body.length, 1);
});

test('H8: concurrent pushes and API changes lose no commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await temporaryFolder(t);
  const remote = ada.remote('ada/engine');
  await git(folder, ['clone', '-q', remote, '.']);
  const pushUntilAccepted = async (path: string) => {
    await git(folder, ['commit', '-q', '--allow-empty', '-m', path]);
    for (;;) {
      await git(folder, ['pull', '-q', '--rebase', remote, 'main']);
      const isAccepted = await git(folder, ['push', '-q', remote, 'HEAD:main']).then(
        () => true,
        () => false,
      );
      if (isAccepted) return;
    }
  };
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];

  const [answers] = await Promise.all([
    Promise.all(names.map((name) => ada.post(contentsOf('ada/engine', name), { content: '' }))),
    (async () => {
      for (const name of ['pushed 1', 'pushed 2', 'pushed 3']) await pushUntilAccepted(name);
    })(),
  ]);

  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
  await git(folder, ['pull', '-q', '--rebase', remote, 'main']);
  const subjects = (await git(folder, ['log', '--format=%s'])).split('\n').sort();
  const expected = [
    ...names.map((name) => `Add ${name}`),
    'Initial commit',
    'pushed 1',
    'pushed 2',
    'pushed 3',
  ];
  assert.deepEqual(subjects, expected.sort());
});
