import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { file, historyOf, statusAndMessage } from './engine.ts';
import { base64, contentsOf, pushedRepository, rawOf } from './files.ts';

// Each test is a row, or a part of a row, of the table of errors in the specification of the API.

const ROOT = '/api/v1/repos/ada/engine/contents';
const STALE = 'ba5eba11'.repeat(5);
const MISSING = "The target couldn't be found.";

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a', 'b.txt': 'b' });
  await git(folder, ['branch', 'dev']);
  await git(folder, ['tag', 'v1']);
  await push('dev', 'v1');
  const { sha } = (await ada.get(file('a.txt'))).body;
  /** Checks that nothing was written. */
  const assertUnchanged = async () => {
    for (const branch of ['main', 'dev'])
      assert.deepEqual((await historyOf(t, ada, '%H', branch))[0], commit, branch);
  };
  return { forge, ada, sha, commit, assertUnchanged };
}

test('400: delete-file with branch already existing', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);

  const answer = await ada.delete(file('a.txt'), { sha, new_branch: 'dev' });

  assert.deepEqual(statusAndMessage(answer), [400, 'branch already exists [name: dev]']);
  await assertUnchanged();
});

test('400: delete-file with invalid file name', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);

  for (const path of ['.git/config', 'x/.GIT', 'a//b', 'back\\slash', 'tab\t', 'é'.repeat(128)]) {
    const answer = await ada.delete(file(path), { sha });
    assert.equal(answer.status, 400, path);
    assert.match(answer.body.message, /\[path: /);
  }
  await assertUnchanged();
});

test('400: delete-file with SHA mismatch or commit id mismatch', async (t) => {
  const { ada, sha, commit, assertUnchanged } = await startEngine(t);

  const answer = await ada.delete(file('a.txt'), { sha: STALE });

  const message = `sha does not match [path: a.txt, given: ${STALE}, expected: ${sha}]`;
  assert.deepEqual(statusAndMessage(answer), [400, message]);
  for (const other of [commit, sha.slice(0, 10), `${sha}0`, 'HEAD', ' '])
    assert.equal((await ada.delete(file('a.txt'), { sha: other })).status, 400, other);
  await assertUnchanged();
});

test('400: delete-file with neither SHA nor commit id given', async (t) => {
  const { ada, assertUnchanged } = await startEngine(t);

  for (const body of [undefined, {}, { sha: '' }, { sha: null }, { message: 'x' }]) {
    const answer = await ada.delete(file('a.txt'), body);
    assert.deepEqual(statusAndMessage(answer), [400, '[SHA]: Required'], JSON.stringify(body));
  }
  await assertUnchanged();
});

test('403: commit refused', async (t) => {
  const { forge, ada, sha, assertUnchanged } = await startEngine(t);
  const ben = await forge.account('ben');
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  const files = [{ operation: 'create', path: 'new', content: '' }];

  for (const answer of [
    await ben.post(file('new'), { content: '' }),
    await ben.put(file('a.txt'), { content: '', sha }),
    await ben.delete(file('a.txt'), { sha }),
    await ben.post(ROOT, { files }),
  ])
    assert.deepEqual(statusAndMessage(answer), [403, 'you may read this repository, but not change it']);
  await assertUnchanged();
});

test('403: file path protected', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);
  const protection = await ada.post('/api/v1/repos/ada/engine/branch_protections', {
    rule_name: 'main',
    enable_push: true,
    protected_file_patterns: 'a.*;locked/**',
  });
  assert.equal(protection.status, 201, protection.text);
  const create = (path: string) => ({ operation: 'create', path, content: '' });
  const writes = [
    () => ada.post(file('locked/new'), { content: '' }),
    () => ada.put(file('a.txt'), { content: '', sha }),
    () => ada.put(file('moved'), { content: '', sha, from_path: 'a.txt' }),
    () => ada.delete(file('a.txt'), { sha }),
    () => ada.post(ROOT, { files: [create('free'), create('locked/new')] }),
    () => ada.post(ROOT, { files: [create('free'), { operation: 'rename', path: 'b', from_path: 'a.txt' }] }),
  ];

  for (const [index, write] of writes.entries()) assert.equal((await write()).status, 403, `write ${index}`);
  await assertUnchanged();
  assert.equal((await ada.post(ROOT, { files: [create('free'), create('also/free')] })).status, 201);
});

test('404: repository, file, branch or reference missing', async (t) => {
  const { ada, sha, commit, assertUnchanged } = await startEngine(t);
  await ada.repository('secret', { private: true, auto_init: true });
  const blob = sha;
  const files = [{ operation: 'create', path: 'new', content: '' }];
  const references = [
    'nope',
    'HEAD~1',
    '@{u}',
    'main^',
    '0'.repeat(40),
    blob,
    `${commit}0`,
    'refs/heads',
    'v1:a.txt',
  ];

  const reads = [
    file('nope'),
    rawOf('ada/engine', 'nope'),
    '/api/v1/repos/ada/engine/media/nope',
    contentsOf('ada/nope', 'a.txt'),
    rawOf('ada/nope', 'a.txt'),
    rawOf('nope/engine', 'a.txt'),
    ...references.flatMap((ref) => [
      `${file('a.txt')}?ref=${encodeURIComponent(ref)}`,
      `${rawOf('ada/engine', 'a.txt')}?ref=${encodeURIComponent(ref)}`,
      `/api/v1/repos/ada/engine/media/a.txt?ref=${encodeURIComponent(ref)}`,
      `${ROOT}?ref=${encodeURIComponent(ref)}`,
    ]),
  ];
  for (const url of reads) assert.deepEqual(statusAndMessage(await ada.get(url)), [404, MISSING], url);
  const writes = [
    await ada.put(file('nope'), { content: '', sha }),
    await ada.delete(file('nope'), { sha }),
    await ada.put(file('x'), { content: '', sha, from_path: 'nope' }),
    await ada.post(file('x'), { content: '', branch: 'nope' }),
    await ada.post(file('x'), { content: '', branch: 'v1' }),
    await ada.put(file('a.txt'), { content: '', sha, branch: 'nope' }),
    await ada.delete(file('a.txt'), { sha, branch: 'nope' }),
    await ada.post(ROOT, { files, branch: 'nope' }),
    await ada.post(contentsOf('ada/nope', 'x'), { content: '' }),
  ];
  for (const [index, answer] of writes.entries())
    assert.deepEqual(statusAndMessage(answer), [404, MISSING], `write ${index}`);
  await assertUnchanged();
});

test('422: create or update file with branch already existing', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);
  const files = [{ operation: 'create', path: 'new', content: '' }];
  const expected = [422, 'branch already exists [name: dev]'];

  for (const answer of [
    await ada.post(file('new'), { content: '', new_branch: 'dev' }),
    await ada.put(file('a.txt'), { content: '', sha, new_branch: 'dev' }),
    await ada.post(ROOT, { files, new_branch: 'dev' }),
  ])
    assert.deepEqual(statusAndMessage(answer), expected);
  await assertUnchanged();
});

test('422: create or update file with invalid file name or path', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);

  for (const path of [
    '.git',
    '.git/config',
    'x/.Git/y',
    'git~1',
    'a//b',
    'back\\slash',
    'nul\0',
    'é'.repeat(128),
  ]) {
    const answers = [
      await ada.post(file(path), { content: '' }),
      await ada.put(file(path), { content: '', sha }),
      await ada.put(file('x'), { content: '', sha, from_path: path }),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 422, JSON.stringify(path));
      assert.match(answer.body.message, /\[path: /);
    }
  }
  await assertUnchanged();
});

test('422: update file with SHA mismatch', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);

  const answer = await ada.put(file('a.txt'), { content: '', sha: STALE });
  const moved = await ada.put(file('c.txt'), { content: '', sha: STALE, from_path: 'a.txt' });

  const message = `sha does not match [path: a.txt, given: ${STALE}, expected: ${sha}]`;
  assert.deepEqual(statusAndMessage(answer), [422, message]);
  assert.deepEqual(statusAndMessage(moved), [422, message]);
  await assertUnchanged();
});

test('422: create file or move a file with the file already existing', async (t) => {
  const { ada, sha, assertUnchanged } = await startEngine(t);
  const expected = [422, 'repository file already exists [path: b.txt]'];

  assert.deepEqual(statusAndMessage(await ada.post(file('b.txt'), { content: '' })), expected);
  const moved = await ada.put(file('b.txt'), { content: base64('a'), sha, from_path: 'a.txt' });
  assert.deepEqual(statusAndMessage(moved), expected);
  await assertUnchanged();
});

test('500: contents read by a caller without code-read permission', async (t) => {
  const { forge } = await startEngine(t);
  const owner = await forge.account('olga');
  const member = await forge.account('mia');
  await owner.post('/api/v1/orgs', { username: 'guild' });
  await owner.post('/api/v1/orgs/guild/repos', { name: 'mine', private: true, auto_init: true });
  const team = await owner.post('/api/v1/orgs/guild/teams', {
    name: 'trackers',
    permission: 'read',
    units_map: { 'repo.issues': 'read' },
  });
  await owner.put(`/api/v1/teams/${team.body.id}/members/mia`);
  await owner.put(`/api/v1/teams/${team.body.id}/repos/guild/mine`);
  const root = '/api/v1/repos/guild/mine';
  const body = encodeURIComponent('{"files":["README.md"]}');

  for (const path of ['contents', 'contents/README.md', 'contents-ext', `file-contents?body=${body}`]) {
    const answer = await member.get(`${root}/${path}`);
    assert.deepEqual(
      statusAndMessage(answer),
      [500, 'you may see this repository, but not read its code'],
      path,
    );
  }
  const posted = await member.post(`${root}/file-contents`, { files: ['README.md'] });
  assert.equal(posted.status, 500);
  assert.equal((await member.get(root)).status, 200);
});
