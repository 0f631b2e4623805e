import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { base64, contentsOf, rawOf } from '../../code/contents/files.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit } from '../../support/git/git.ts';
import { batch, objectOf, sendLfs } from './objects.ts';
import { largeFilesCopy, whyNoGitLfs } from './working-copies.ts';

test('without git-lfs, its requests find nothing', async (t) => {
  const forge = await startForge(t, { settings: { lfs: 'false' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const root = '/ada/engine.git/info/lfs';
  const object = objectOf('picture');

  await t.test('with every request, signed in or not', async () => {
    const requests = [
      ['POST', 'objects/batch', { operation: 'download', objects: [object] }],
      ['POST', 'objects/batch', { operation: 'upload', objects: [object] }],
      ['POST', 'verify', object],
      ['GET', `objects/${object.oid}`],
      ['GET', `objects/${object.oid}/bmFtZQ`],
      ['PUT', `objects/${object.oid}/${object.size}`, {}],
      ['HEAD', `uploads/${object.oid}/${object.size}`],
      ['PATCH', `uploads/${object.oid}/${object.size}`, {}],
      ['GET', 'locks'],
      ['POST', 'locks', { path: 'a' }],
      ['POST', 'locks/verify', {}],
      ['POST', 'locks/1/unlock', {}],
    ] as const;
    for (const who of [ada, forge]) {
      for (const [method, path, json] of requests) {
        const answer = await sendLfs(who, method, `${root}/${path}`, json);
        assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
        if (method !== 'HEAD') assert.match(answer.body.message, /git-lfs on this server/);
      }
    }
  });

  await t.test('files that the API writes stay in their commits', async () => {
    const create = (path: string, content: string) =>
      ada.post(contentsOf('ada/engine', path), { content: base64(content) });
    await create('.gitattributes', '*.bin filter=lfs');
    const created = await create('a.bin', 'as it is');
    assert.equal(created.status, 201, created.text);
    assert.equal((await ada.get(rawOf('ada/engine', 'a.bin'))).text, 'as it is');
  });

  await t.test('git-lfs fails with large files, and pushes others', { skip: whyNoGitLfs }, async () => {
    await ada.repository('pushed');
    const remote = ada.remote('ada/pushed');
    const folder = await largeFilesCopy(t);
    await commitAll(folder, 'Begin');
    await git(folder, ['push', '-q', remote, 'main']);

    await writeFile(join(folder, 'large.bin'), 'large');
    await commitAll(folder, 'More');
    const pushed = await tryGit(folder, ['push', '-q', remote, 'main']);
    assert.notEqual(pushed.exitCode, 0);
    assert.match(pushed.stderr, /not found/i);
  });
});

test('a setting limits the objects of one batch', async (t) => {
  const forge = await startForge(t, { settings: { lfsBatchObjects: '2' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const objects = ['a', 'b', 'c'].map(objectOf);

  assert.equal((await batch(ada, 'ada/engine', 'upload', objects.slice(0, 2))).status, 200);
  const many = await batch(ada, 'ada/engine', 'upload', objects);
  assert.equal(many.status, 413);
  assert.match(many.body.message, /at most 2 objects/);
});
