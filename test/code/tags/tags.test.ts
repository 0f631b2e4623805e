import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const TAGS = `${ENGINE}/tags`;
const ZEROS = '0'.repeat(40);

/** Creates ada's repository `engine` with one commit. */
async function startEngine(t: Parameters<typeof startForge>[0]) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const tip: string = (await ada.get(`${ENGINE}/branches/main`)).body.commit.id;
  return { forge, ada, tip };
}

async function create(who: Person, name: string, options: Record<string, unknown> = {}) {
  const created = await who.post(TAGS, { tag_name: name, ...options });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

async function clone(t: Parameters<typeof startForge>[0], who: Person): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', who.remote('ada/engine'), '.']);
  return folder;
}

test('a plain tag shows its commit and the addresses of its archives', async (t) => {
  const { forge, ada, tip } = await startEngine(t);
  const created = await create(ada, 'v1/beta');
  const { created: at, ...commit } = created.commit;
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  assert.deepEqual(
    { ...created, commit },
    {
      name: 'v1/beta',
      message: 'Initial commit',
      id: tip,
      commit: { url: `${forge.url}/api/v1/repos/ada/engine/git/commits/${tip}`, sha: tip },
      zipball_url: `${forge.url}/ada/engine/archive/v1/beta.zip`,
      tarball_url: `${forge.url}/ada/engine/archive/v1/beta.tar.gz`,
      archive_download_count: { zip: 0, tar_gz: 0 },
    },
  );
  assert.deepEqual((await forge.get(`${TAGS}/v1/beta`)).body, created);
  assert.deepEqual((await forge.get(`${TAGS}/v1%2Fbeta`)).body, created);
  assert.deepEqual((await forge.get(TAGS)).body, [created]);
});

test('a tag with a message is annotated by the caller', async (t) => {
  const { forge, ada, tip } = await startEngine(t);
  const created = await create(ada, 'v1', { message: '  First\n\nEverything works.\n', target: 'main' });
  assert.equal(created.message, 'First\n\nEverything works.');
  assert.equal(created.commit.sha, tip);
  assert.notEqual(created.id, tip);

  const folder = await clone(t, ada);
  const shown = await git(folder, [
    'for-each-ref',
    '--format=%(objecttype) %(objectname) %(tagger) %(contents)',
    'refs/tags/v1',
  ]);
  assert.match(
    shown,
    new RegExp(`^tag ${created.id} ada <ada@example\\.org> \\d+ \\+0000 First\n\nEverything works\\.`),
  );
  await git(folder, ['fsck', '--strict']);

  const { body } = await forge.get(`${ENGINE}/git/tags/${created.id}`);
  const { date, ...tagger } = body.tagger;
  assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000);
  assert.deepEqual(
    { ...body, tagger },
    {
      tag: 'v1',
      sha: created.id,
      url: `${forge.url}/api/v1/repos/ada/engine/git/tags/${created.id}`,
      message: 'First\n\nEverything works.\n',
      tagger: { name: 'ada', email: 'ada@example.org' },
      object: { type: 'commit', url: `${forge.url}/api/v1/repos/ada/engine/git/commits/${tip}`, sha: tip },
      verification: {
        verified: false,
        reason: 'gpg.error.not_signed_commit',
        signature: '',
        signer: null,
        payload: '',
      },
      archive_download_count: { zip: 0, tar_gz: 0 },
    },
  );
  for (const sha of [tip, ZEROS, 'v1', created.id.slice(0, 8)])
    assert.equal((await forge.get(`${ENGINE}/git/tags/${sha}`)).status, 404, sha);
});

test('a broken signature of a tag is shown, and is not verified', async (t) => {
  const { forge, ada } = await startEngine(t);
  const folder = await clone(t, ada);
  const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n';
  await git(folder, ['tag', '-a', '-F', '-', '--cleanup=verbatim', 'v1'], { input: `Signed\n${signature}` });
  await git(folder, ['push', '-q', 'origin', 'v1']);
  const { id } = (await forge.get(`${TAGS}/v1`)).body;
  const { verification } = (await forge.get(`${ENGINE}/git/tags/${id}`)).body;
  assert.equal(verification.verified, false);
  assert.equal(verification.reason, 'gpg.error.extract_sign');
  assert.equal(verification.signature, signature);
  assert.match(verification.payload, /^object .*\n\nSigned\n$/s);
});

test('tags of tags, of trees and of blobs that git pushed can be read', async (t) => {
  const { forge, ada, tip } = await startEngine(t);
  const folder = await clone(t, ada);
  await git(folder, ['tag', '-am', 'One', 'one']);
  await git(folder, ['tag', '-am', 'Two', 'two', 'one']);
  await git(folder, ['tag', 'tree', 'HEAD^{tree}']);
  await git(folder, ['tag', '-am', 'A blob', 'blob', 'HEAD:README.md']);
  await git(folder, ['push', '-q', 'origin', '--tags']);
  const ids = await git(folder, ['rev-parse', 'HEAD^{tree}', 'HEAD:README.md']);
  const [tree, blob] = ids.split('\n');
  const { body } = await forge.get(TAGS);
  assert.deepEqual(
    body.map((tag: { name: string; message: string; commit: { sha: string } }) => [
      tag.name,
      tag.message,
      tag.commit.sha,
    ]),
    [
      ['blob', 'A blob', blob],
      ['one', 'One', tip],
      ['tree', '', tree],
      ['two', 'Two', tip],
    ],
  );
});

test('tags are listed by name, one page at a time, with their number', async (t) => {
  const { ada } = await startEngine(t);
  for (const name of ['v2', 'v10', 'v1']) await create(ada, name);
  const page = await ada.get(`${TAGS}?limit=2`);
  assert.deepEqual(
    page.body.map((tag: { name: string }) => tag.name),
    ['v1', 'v10'],
  );
  assert.equal(page.headers.get('x-total-count'), '3');
  await ada.repository('empty');
  assert.deepEqual((await ada.get('/api/v1/repos/ada/empty/tags')).body, []);
});

test('404: a tag needs a target that leads to a commit', async (t) => {
  const { ada } = await startEngine(t);
  const { body: tree } = await ada.get(`${ENGINE}/git/trees/main`);
  for (const target of [
    'missing',
    ZEROS,
    'HEAD~1',
    '@{u}',
    tree.tree[0].sha,
    'main^{tree}',
    '--all',
    'refs/quire/x',
  ]) {
    const created = await ada.post(TAGS, { tag_name: 'new', target });
    assert.equal(created.status, 404, `${target}: ${created.text}`);
  }
  await ada.repository('empty');
  assert.equal((await ada.post('/api/v1/repos/ada/empty/tags', { tag_name: 'v1' })).status, 404);
  assert.deepEqual((await ada.get(TAGS)).body, []);
});

test('409: the name of a new tag is in use; 422: it is not a name', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'v1');
  for (const name of ['v1', 'v1/a']) assert.equal((await ada.post(TAGS, { tag_name: name })).status, 409);
  for (const name of ['', 'a b', '..', '-a', 'HEAD', '1'.repeat(40), 'a\nb', 'x'.repeat(2_000)])
    assert.equal((await ada.post(TAGS, { tag_name: name })).status, 422, name);
  assert.equal((await ada.post(TAGS, {})).status, 422);
  assert.equal((await ada.post(TAGS, { tag_name: 'a', message: 'a\0b' })).status, 422);
});

test('a deleted tag is gone', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'v1/beta', { message: 'Beta' });
  assert.equal((await ada.delete(`${TAGS}/v1/beta`)).status, 204);
  assert.equal((await ada.get(`${TAGS}/v1/beta`)).status, 404);
  assert.equal((await ada.delete(`${TAGS}/v1/beta`)).status, 404);
});

test('423, 403: an archived repository and a mirror keep their tags', async (t) => {
  const { forge, ada } = await startEngine(t);
  await create(ada, 'v1');
  const changes = async () => [
    (await ada.post(TAGS, { tag_name: 'v2' })).status,
    (await ada.delete(`${TAGS}/v1`)).status,
  ];
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await changes(), [423, 423]);
  await ada.patch(ENGINE, { archived: false });
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('repositories').set({ is_mirror: 1 }).execute());
  assert.deepEqual(await changes(), [403, 403]);
});

test('412: a tag that has changed since the caller saw it is not deleted', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'v1');
  const old = (await ada.get(`${TAGS}/v1`)).headers.get('etag') ?? '';
  await ada.delete(`${TAGS}/v1`);
  await create(ada, 'v1', { message: 'Again' });
  const remove = (tag: string) => ada.send('DELETE', `${TAGS}/v1`, { headers: { 'if-match': tag } });
  assert.equal((await remove(old)).status, 412);
  assert.equal((await remove((await ada.get(`${TAGS}/v1`)).headers.get('etag') ?? '')).status, 204);
});

test('304: a caller who has the current version of a tag gets no body', async (t) => {
  const { forge, ada } = await startEngine(t);
  await create(ada, 'v1');
  const tag = (await forge.get(`${TAGS}/v1`)).headers.get('etag') ?? '';
  const again = () => forge.get(`${TAGS}/v1`, { headers: { 'if-none-match': tag } });
  assert.deepEqual([(await again()).status, (await again()).text], [304, '']);
  await ada.delete(`${TAGS}/v1`);
  await create(ada, 'v1', { message: 'Again' });
  assert.equal((await again()).status, 200);
  const { id } = (await forge.get(`${TAGS}/v1`)).body;
  const object = await forge.get(`${ENGINE}/git/tags/${id}`);
  const headers = { 'if-none-match': object.headers.get('etag') ?? '' };
  assert.equal((await forge.get(`${ENGINE}/git/tags/${id}`, { headers })).status, 304);
});
