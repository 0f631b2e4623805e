import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentsOf, pushedRepository, rawOf } from '../code/contents/files.ts';
import { exchange } from '../http/exchange.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { commitAll, git } from '../support/git/git.ts';
import type { Answer } from '../support/http/http.ts';

// Runs once: no outcome depends on the database.

const BAD_NAMES = [
  '.',
  '..',
  '.git',
  '.GIT',
  '.Git',
  '.git.',
  '.git ',
  '.git...',
  'git~1',
  'GIT~1',
  '.git::$INDEX_ALLOCATION',
  '.git:x',
  '.g\u200cit',
  '.git\ufeff',
  '\u200e.git',
  'a\\b',
  '..\\..\\x',
  'nul\0byte',
  'line\nend',
  'tab\t',
  'bell\u0007',
  'del\u007f',
  'x'.repeat(256),
  'é'.repeat(128),
];

/** Sends a path unchanged, because URL builders would remove the dots. */
async function sendTo(
  forge: TestForge,
  ada: Person,
  method: string,
  path: string,
  body: object,
): Promise<number> {
  const headers = { authorization: `token ${ada.token}`, 'content-type': 'application/json' };
  const url = contentsOf('ada/engine', path);
  return (await exchange(forge.url, { method, path: url, headers, body: JSON.stringify(body) })).status;
}

test('C2: no method writes a path that leaves the tree or that some file system reads as .git', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit } = await pushedRepository(t, ada, 'engine', { file: 'x', 'folder/file': 'y' });
  const { sha } = (await ada.get(contentsOf('ada/engine', 'file'))).body;
  const paths = BAD_NAMES.flatMap((name) => [name, `${name}/x`, `folder/${name}`, `folder/${name}/x`]).concat(
    ['folder//x', `${'long/'.repeat(820)}x`],
  );
  for (const path of paths) {
    const about = JSON.stringify(path).slice(0, 60);
    const send = (method: string, body: object) => sendTo(forge, ada, method, path, body);
    const statuses = [
      await send('POST', { content: '' }),
      await send('PUT', { content: '', sha }),
      await send('PUT', { content: '', sha, from_path: 'file' }),
      await sendTo(forge, ada, 'PUT', 'new', { content: '', sha, from_path: path }),
      await send('DELETE', { sha }),
    ];
    assert.deepEqual(statuses, [422, 422, 422, 422, 400], about);
  }
  assert.equal((await ada.get(contentsOf('ada/engine', 'file'))).body.last_commit_sha, commit);
  const root = await ada.get('/api/v1/repos/ada/engine/contents');
  assert.deepEqual(
    root.body.map((entry: { path: string }) => entry.path),
    ['file', 'folder'],
  );
});

test('C2: names that only look dangerous are written', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  for (const path of [
    '.gitignore',
    '.github/x',
    'a.git',
    'git',
    '..x',
    '...',
    '.git-x',
    'a..b',
    'é'.repeat(127),
    `${'d/'.repeat(100)}x`,
  ]) {
    const created = await ada.post(contentsOf('ada/engine', path), { content: '' });
    assert.equal(created.status, 201, `${path.slice(0, 40)}: ${created.text}`);
  }
});

test('C3: no request writes through or below a symlink, and reading it returns its target path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'real/file': 'inside' });
  await symlink('/etc', join(folder, 'etc'));
  await symlink('real', join(folder, 'alias'));
  await symlink('../../outside', join(folder, 'real/up'));
  await commitAll(folder, 'Links');
  await push('main');
  const tip = await git(folder, ['rev-parse', 'HEAD']);
  const of = (path: string) => contentsOf('ada/engine', path);
  const { sha } = (await ada.get(of('real/file'))).body;

  for (const path of ['etc/passwd', 'alias/file', 'alias/new', 'real/up/x', 'etc/x/y']) {
    assert.equal((await ada.get(of(path))).status, 404, path);
    assert.equal((await ada.get(rawOf('ada/engine', path))).status, 404, path);
    assert.equal((await ada.post(of(path), { content: '' })).status, 422, path);
    assert.equal((await ada.put(of(path), { content: '', sha })).status, 404, path);
    assert.equal((await ada.put(of(path), { content: '', sha, from_path: 'real/file' })).status, 422, path);
    assert.equal((await ada.put(of('new'), { content: '', sha, from_path: path })).status, 404, path);
    assert.equal((await ada.delete(of(path), { sha })).status, 404, path);
  }
  for (const path of ['etc', 'alias', 'real/up']) {
    const link = (await ada.get(of(path))).body;
    assert.equal((await ada.post(of(path), { content: '' })).status, 422, path);
    assert.equal((await ada.put(of(path), { content: '', sha: link.sha })).status, 422, path);
    assert.equal((await ada.delete(of(path), { sha })).status, 400, path);
  }
  assert.equal((await ada.get(rawOf('ada/engine', 'etc'))).text, '/etc');
  await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
  assert.equal(await git(folder, ['rev-parse', 'FETCH_HEAD']), tip);
});

const OPTIONS = [
  '-h',
  '--help',
  '--output=/tmp/quire-pwned',
  '--upload-pack=touch /tmp/quire-pwned',
  '-c',
  '--exec=x',
  '--',
  '--all',
  '-',
];

type Send = (value: string) => Promise<Answer>;

/** Reading requests, one for each parameter that takes a name, and their statuses for an unknown name. */
function requestsWithName(
  forge: TestForge,
  ada: Person,
): readonly (readonly [send: Send, statuses: number[]])[] {
  const encoded = encodeURIComponent;
  const file = contentsOf('ada/engine', 'file');
  return [
    [(value) => ada.get(`${file}?ref=${encoded(value)}`), [404]],
    [(value) => ada.get(`/api/v1/repos/ada/engine/contents?ref=${encoded(value)}`), [404]],
    [(value) => ada.get(`${rawOf('ada/engine', 'file')}?ref=${encoded(value)}`), [404]],
    [(value) => ada.get(`/api/v1/repos/ada/${encoded(value)}`), [404]],
    [(value) => ada.get(`/api/v1/repos/${encoded(value)}/engine`), [404]],
    [(value) => forge.get(`/ada/${encoded(value)}/info/refs?service=git-upload-pack`), [401, 404]],
  ];
}

/** Writing requests, one for each parameter that takes a name, and their statuses for an unknown name. */
function writesWithName(ada: Person, sha: string): readonly (readonly [send: Send, statuses: number[]])[] {
  const file = contentsOf('ada/engine', 'file');
  const other = contentsOf('ada/engine', 'new');
  return [
    [(branch) => ada.post(other, { content: '', branch }), [422]],
    [(value) => ada.post(other, { content: '', new_branch: value }), [422]],
    [(value) => ada.delete(file, { sha: value }), [400]],
    [(value) => ada.put(file, { content: '', sha: value }), [422]],
    [(value) => ada.put(other, { content: '', sha, from_path: `no/${value}` }), [404]],
    [(value) => ada.post(other, { content: '', dates: { author: value } }), [422]],
    [
      (value) => ada.post('/api/v1/user/repos', { name: 'other', default_branch: value, auto_init: true }),
      [422],
    ],
  ];
}

test('D1: every parameter treats a value that begins with a dash as an unknown name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { file: 'x' });
  const { sha } = (await ada.get(contentsOf('ada/engine', 'file'))).body;

  for (const [send, statuses] of [...requestsWithName(forge, ada), ...writesWithName(ada, sha)]) {
    for (const value of OPTIONS) {
      const { status } = await send(value);
      assert.ok(statuses.includes(status), `${send} with ${value}: ${status}`);
    }
  }
});

test('D1: files, messages and people may have names like options', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { '--help': 'a file of this name' });

  assert.equal((await ada.get(rawOf('ada/engine', '--help'))).text, 'a file of this name');
  const created = await ada.post(contentsOf('ada/engine', '-rf/--exec=x'), {
    content: '',
    message: '--amend',
    author: { name: '--author', email: '-e@example.org' },
  });
  assert.equal(created.status, 201);
  await git(folder, ['pull', '-q', ada.remote('ada/engine'), 'main']);
  assert.equal(
    await git(folder, ['log', '-1', '--format=%an <%ae> %s']),
    '--author <-e@example.org> --amend',
  );
});
