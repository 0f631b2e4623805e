import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WEB_LIMITS } from '../../../src/web/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const URL = '/api/v1/repos/ada/loom';
const BRANCHES = '/ada/loom/branches';

async function openLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const names = async () =>
    (await ada.get(`${URL}/branches`)).body.map(({ name }: { name: string }) => name) as string[];
  return { forge, ada, reader, names };
}

test('branches are listed with their distance from the default branch', async (t) => {
  const { forge, ada } = await openLoom(t);
  await ada.post(`${URL}/contents/a`, { content: base64('a'), new_branch: 'b/<i>', branch: 'main' });
  await ada.post(`${URL}/contents/b`, { content: base64('b'), branch: 'main' });
  await ada.post(`${URL}/branch_protections`, { rule_name: 'b/*' });

  const { text } = await forge.get(BRANCHES);
  assert.match(text, /2 branches/);
  assert.match(text, /Default branch[\s\S]*>main<\/a><\/strong><span class="badge">default/);
  assert.match(text, /href="\/ada\/loom\/src\/branch\/b\/%3Ci%3E">b\/&lt;i&gt;<\/a>/);
  assert.match(text, /protected/);
  assert.match(
    text,
    /href="\/ada\/loom\/compare\/main\.\.\.b\/%3Ci%3E" title="1 commit behind and 1 commit ahead of main"/,
  );
  assert.doesNotMatch(text, /<form[^>]*method="post"/);
});

test('many branches have several pages, each with the default branch', async (t) => {
  const { forge, ada } = await openLoom(t);
  for (let made = 0; made < WEB_LIMITS.branchesPageItemsMax; made += 1)
    await ada.post(`${URL}/branches`, { new_branch_name: `b${String(made).padStart(3, '0')}` });
  const first = await forge.get(BRANCHES);
  assert.match(first.text, /branches\?page=2">Next/);
  const second = await forge.get(`${BRANCHES}?page=2`);
  assert.match(second.text, /default<\/span>[\s\S]*No other branches here/);
});

test('a writer makes, renames and deletes branches on the page', async (t) => {
  const { reader, names, ada } = await openLoom(t);
  const made = await reader.post(`${BRANCHES}/_new`, { name: 'cards/new', start: 'main' });
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/ada/loom/src/branch/cards/new']);
  const renamed = await reader.post(`${BRANCHES}/rename`, { name: 'cards/new', to: 'cards' });
  assert.deepEqual([renamed.status, renamed.headers.get('location')], [303, BRANCHES]);
  assert.deepEqual(await names(), ['cards', 'main']);

  const taken = await reader.post(`${BRANCHES}/_new`, { name: 'cards', start: 'main' });
  assert.equal(taken.status, 422);
  assert.match(
    taken.text,
    /role="alert">The branch cards exists already\.<[\s\S]*name="name" value="cards"|name="name" value="cards"[\s\S]*exists already/,
  );
  const bad = await reader.post(`${BRANCHES}/_new`, { name: 'a..b"<b>', start: 'main' });
  assert.equal(bad.status, 422);
  assert.match(bad.text, /value="a\.\.b&quot;&lt;b&gt;"/);
  const nowhere = await reader.post(`${BRANCHES}/_new`, { name: 'x', start: 'missing' });
  assert.equal(nowhere.status, 409);
  assert.match(nowhere.text, /There is no branch, tag or commit with the name missing/);

  const moved = await reader.post(`${BRANCHES}/delete`, { name: 'cards', seen: '0'.repeat(40) });
  assert.equal(moved.status, 412);
  const main = await reader.post(`${BRANCHES}/delete`, { name: 'main' });
  assert.equal(main.status, 403);
  assert.match(main.text, /role="alert"/);
  const { id } = (await ada.get(`${URL}/branches/cards`)).body.commit;
  assert.equal((await reader.post(`${BRANCHES}/delete`, { name: 'cards', seen: id })).status, 303);
  const gone = await reader.post(`${BRANCHES}/delete`, { name: 'cards' });
  assert.equal(gone.status, 409);
  assert.match(gone.text, /There is no branch cards any more/);
  assert.deepEqual(await names(), ['main']);
});

test('tags are listed with the highest first, with archives, and a writer deletes them', async (t) => {
  const { forge, ada, reader } = await openLoom(t);
  for (const tag_name of ['v1.2', 'v1.10', 'v1.9'])
    await ada.post(`${URL}/tags`, {
      tag_name,
      target: 'main',
      message: tag_name === 'v1.9' ? 'Nine <b>' : '',
    });
  const { text } = await forge.get('/ada/loom/tags');
  assert.match(text, /3 tags[\s\S]*>v1\.10<[\s\S]*>v1\.9<[\s\S]*>v1\.2</);
  assert.match(text, /annotated<[\s\S]*Nine &lt;b&gt;/);
  assert.match(text, /href="\/ada\/loom\/archive\/v1\.10\.zip"/);
  assert.doesNotMatch(text, /tags\/delete/);
  const deleted = await reader.post('/ada/loom/tags/delete', { name: 'v1.2' });
  assert.deepEqual([deleted.status, deleted.headers.get('location')], [303, '/ada/loom/tags']);
  assert.equal((await ada.get(`${URL}/tags`)).body.length, 2);
  const again = await reader.post('/ada/loom/tags/delete', { name: 'v1.2' });
  assert.equal(again.status, 409);
  assert.match(again.text, /There is no tag v1\.2 any more/);
});

test('only writers change branches and tags, and only with a form of this server', async (t) => {
  const { forge, reader, names } = await openLoom(t);
  const eve = await forge.account('eve');
  const other = new PageReader(forge);
  await other.signIn(eve);
  for (const [path, fields] of [
    ['branches/_new', { name: 'x', start: 'main' }],
    ['branches/rename', { name: 'main', to: 'x' }],
    ['branches/delete', { name: 'main' }],
    ['tags/delete', { name: 'v1' }],
  ] as const) {
    const denied = await other.post(`/ada/loom/${path}`, fields);
    assert.equal(denied.status, 403, path);
    const stranger = await new PageReader(forge).post(`/ada/loom/${path}`, fields);
    assert.equal(stranger.status, 303, path);
    assert.match(stranger.headers.get('location') ?? '', /^\/user\/login/);
    const forged = await reader.post(`/ada/loom/${path}`, fields, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(forged.status, 403, path);
  }
  assert.deepEqual(await names(), ['main']);
});
