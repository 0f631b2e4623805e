import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { file, historyOf, statusAndMessage } from './engine.ts';
import { base64, pushedRepository } from './files.ts';

// Each test is one of the rules about files in the specification of the API.

const REPO = '/api/v1/repos/ada/engine';
const OBJECT_TYPES = ['x-gitea-object-type', 'x-forgejo-object-type'];

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', {
    'docs/plan.md': '# Plan\n',
    large: 'x'.repeat(1025),
    small: 'x'.repeat(1024),
  });
  await symlink('small', join(folder, 'link'));
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`]);
  await commitAll(folder, 'Links');
  await push('main');
  return { forge, ada };
}

test('raw and media reads return 404 for an empty repository, a missing path, a folder and a submodule', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.repository('empty');

  for (const route of ['raw', 'media']) {
    for (const path of ['nope', 'docs', 'lib', 'docs/plan.md/x', ''])
      assert.equal((await forge.get(`${REPO}/${route}/${path}`)).status, 404, `${route} ${path}`);
    for (const path of ['README.md', ''])
      assert.equal((await forge.get(`/api/v1/repos/ada/empty/${route}/${path}`)).status, 404, path);
  }
});

test('raw and media responses name the type of the object in two headers with the same value', async (t) => {
  const { forge } = await startEngine(t);

  for (const route of ['raw', 'media']) {
    for (const [path, type] of [
      ['small', 'file'],
      ['link', 'symlink'],
    ] as const) {
      const { headers } = await forge.get(`${REPO}/${route}/${path}`);
      assert.deepEqual(
        OBJECT_TYPES.map((name) => headers.get(name)),
        [type, type],
      );
    }
  }
});

test('a media read has a tag of the blob id and a time, and honors conditional requests', async (t) => {
  const { forge } = await startEngine(t);

  for (const path of ['small', 'large']) {
    const url = `${REPO}/media/${path}`;
    const { sha } = (await forge.get(file(path))).body;
    const { headers, text } = await forge.get(url);
    const [tag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? ''];
    assert.equal(text.length, path === 'small' ? 1024 : 1025);
    assert.equal(tag, `"${sha}"`);
    const status = async (sent: Record<string, string>) => (await forge.get(url, { headers: sent })).status;
    assert.equal(await status({ 'if-none-match': tag }), 304);
    assert.equal(await status({ 'if-modified-since': modified }), 304);
    assert.equal(await status({ 'if-none-match': '"other"', 'if-modified-since': modified }), 200);
    assert.equal(await status({ 'if-modified-since': new Date(0).toUTCString() }), 200);
    assert.equal(await status({ range: 'bytes=0-3' }), 206);
  }
});

test('file writes need write access, a repository that is not a mirror, and one that is not archived', async (t) => {
  const { forge, ada } = await startEngine(t);
  const ben = await forge.account('ben');
  const { sha } = (await ada.get(file('small'))).body;
  const files = [{ operation: 'create', path: 'new', content: '' }];
  const statuses = async (person = ada) => [
    (await person.post(file('new'), { content: '' })).status,
    (await person.put(file('small'), { content: '', sha })).status,
    (await person.delete(file('small'), { sha })).status,
    (await person.post(`${REPO}/contents`, { files })).status,
  ];
  const { database } = forge.forge.running.engines;
  const set = (state: { archived_at?: number | null; is_mirror?: number }) =>
    database.transaction(async (tx) => {
      await tx.updateTable('repositories').set(state).where('lower_name', '=', 'engine').execute();
    });

  assert.deepEqual(await statuses(ben), [403, 403, 403, 403]);
  await set({ archived_at: Date.now() });
  assert.deepEqual(await statuses(), [423, 423, 423, 423]);
  await set({ archived_at: null, is_mirror: 1 });
  assert.deepEqual(await statuses(), [403, 403, 403, 403]);
});

test('content is standard base64 and is decoded before the commit', async (t) => {
  const { forge, ada } = await startEngine(t);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

  const { body } = await ada.post(file('bytes'), { content: base64(bytes) });
  const wrong = await ada.post(file('wrong'), { content: bytes.toString('base64url') });

  const expected = await git('.', ['hash-object', '--stdin'], { input: bytes });
  assert.deepEqual([body.content.sha, body.content.size], [expected, 256]);
  assert.equal((await forge.get(`${REPO}/raw/bytes`)).headers.get('content-length'), '256');
  assert.deepEqual(statusAndMessage(wrong), [422, '[Content]: not standard base64']);
});

test('the branch defaults to the default branch, and zero dates default to the current time', async (t) => {
  const { ada } = await startEngine(t);
  const dates = { author: '0001-01-01T00:00:00Z', committer: '0001-01-01T00:00:00Z' };
  const before = Math.floor(Date.now() / 1000) * 1000;

  const { body } = await ada.post(file('new'), { content: '', branch: '', dates });

  assert.equal((await historyOf(t, ada, '%H', 'main'))[0], body.commit.sha);
  for (const { date } of [body.commit.author, body.commit.committer])
    assert.ok(Date.parse(date) >= before && Date.parse(date) <= Date.now(), date);
});

test('a missing path of contents returns 404', async (t) => {
  const { forge } = await startEngine(t);

  for (const path of ['nope', 'docs/nope', 'link/x', 'lib/x'])
    assert.equal((await forge.get(file(path))).status, 404, path);
});

test('an update on an empty repository returns 422', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');

  const answer = await ada.put(file('a'), { content: '', sha: '0'.repeat(40) });

  assert.deepEqual(statusAndMessage(answer), [422, 'repo is empty']);
});

test('a deletion returns 200', async (t) => {
  const { ada } = await startEngine(t);
  const { sha } = (await ada.get(file('small'))).body;

  const { status, body } = await ada.delete(file('small'), { sha });

  assert.deepEqual([status, body.content], [200, null]);
  assert.equal((await ada.get(file('small'))).status, 404);
});

test('the same options bind from the query of a deletion without a body', async (t) => {
  const { ada } = await startEngine(t);
  const { sha } = (await ada.get(file('small'))).body;
  const remove = (query: Record<string, string>) =>
    ada.delete(`${file('small')}?${new URLSearchParams({ sha, ...query })}`);

  assert.equal((await remove({ branch: 'main', new_branch: 'removed' })).status, 200);
  assert.equal((await remove({ new_branch: 'removed' })).status, 400);
  const forced = await remove({
    new_branch: 'removed',
    force_overwrite_new_branch: 'true',
    message: 'Again',
  });
  assert.deepEqual([forced.status, forced.body.commit.message], [200, 'Again\n']);
});
