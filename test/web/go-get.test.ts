import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { exchange } from '../http/exchange.ts';
import { afterTest } from '../support/after-test.ts';
import { startForge } from '../support/forge/forge.ts';

const run = promisify(execFile);
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);

test('the go command finds the repository of a package by a page that repeats the import path', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://forge.example' });
  const ada = await forge.account('ada');
  await ada.repository('Loom', { auto_init: true });

  for (const path of [
    '/ada/loom',
    '/ada/loom/weave',
    '/ada/loom/src/branch/x',
    '/ada/loom/v2/raw/a/b/c',
    '/ada/loom/issues',
    '/ada/loom/labels',
    '/ada/loom/milestones',
    '/ada/loom/releases',
    '/ada/loom/wiki',
  ]) {
    const { status, text, headers } = await forge.get(`${path}?go-get=1`);
    assert.equal(status, 200, path);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.ok(
      text.includes(
        '<meta name="go-import" content="forge.example/ada/loom git https://forge.example/ada/Loom.git">',
      ),
      text,
    );
  }
});

test('a private repository is missing for the go command, unless it sends credentials', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('secret', { private: true, auto_init: true });

  for (const path of ['/ada/secret', '/ada/secret/weave', '/ada/missing', '/ada/missing/weave']) {
    const { status, text } = await forge.get(`${path}?go-get=1`);
    assert.deepEqual([status, text], [404, '404 page not found\n'], path);
  }
  const asked = { headers: { authorization: `token ${ada.token}` } };
  assert.equal((await forge.get('/ada/secret/weave?go-get=1', asked)).status, 200);
  const hostile = await exchange(forge.url, {
    path: '/ada/%22%3E%3Cscript%3E?go-get=1',
    headers: { authorization: `token ${ada.token}` },
  });
  assert.equal(hostile.status, 404);
});

test('go downloads a module from the forge', {
  skip: hasGo ? false : 'there is no go command',
}, async (t) => {
  const forge = await startForge(t, { baseUrl: 'http://forge.example' });
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  for (const [path, text] of [
    ['go.mod', 'module forge.example/ada/loom\n'],
    ['weave/weave.go', 'package weave\n'],
  ]) {
    const content = Buffer.from(text ?? '').toString('base64');
    assert.equal((await ada.post(`/api/v1/repos/ada/loom/contents/${path}`, { content })).status, 201);
  }
  const folder = await mkdtemp(join(tmpdir(), 'quire-go-'));
  afterTest(t, () => rm(folder, { recursive: true, force: true }));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GOPATH: join(folder, 'go'),
    GOPROXY: 'direct',
    GOINSECURE: 'forge.example',
    GONOSUMDB: 'forge.example',
    GOFLAGS: '-modcacherw',
    // The forge is its own proxy, so that its name needs no entry in a name service.
    http_proxy: forge.url,
    GIT_CONFIG_NOSYSTEM: '1',
  };

  await writeFile(join(folder, 'go.mod'), 'module example.com/mill\n');
  await run('go', ['get', 'forge.example/ada/loom/weave'], { cwd: folder, env });

  assert.match(await readFile(join(folder, 'go.mod'), 'utf8'), /require forge\.example\/ada\/loom v0\.0\.0-/);
});
