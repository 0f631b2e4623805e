import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageReader } from '../../support/http/page-reader.ts';
import { ENGINE, RELEASES, startReleases, type Wire } from '../../tracker/releases/release-world.ts';

const PAGE = '/ada/engine/releases';

async function startPages(t: Parameters<typeof startReleases>[0]) {
  const world = await startReleases(t);
  const [ben, cid] = [new PageReader(world.forge), new PageReader(world.forge)];
  await ben.signIn(world.ben);
  await cid.signIn(world.cid);
  return { ...world, browsers: { ben, cid } };
}

test('people who may write publish, change and delete releases on pages', async (t) => {
  const { ada, browsers } = await startPages(t);
  const { ben, cid } = browsers;
  assert.match((await cid.get(PAGE)).text, /No release yet/);
  assert.ok(!(await cid.get(PAGE)).text.includes('/releases/new'));
  assert.equal((await cid.get(`${PAGE}/new`)).status, 403);
  assert.match((await ben.get(`${PAGE}/new?tag=v1`)).text, /value="v1".*value="main"/s);
  const fields = { tag_name: 'v1', tag_target: 'main', title: 'The <first>', content: 'It *works*' };
  assert.equal((await cid.post(`${PAGE}/new`, fields)).status, 403);
  const bad = await ben.post(`${PAGE}/new`, { ...fields, tag_name: 'a..b', prerelease: 'on' });
  assert.equal(bad.status, 422);
  for (const part of ['value="The &lt;first&gt;"', 'It *works*</textarea>', 'name="prerelease" checked'])
    assert.ok(bad.text.includes(part), part);
  const made = await ben.post(`${PAGE}/new`, { ...fields, draft: 'on' });
  assert.deepEqual([made.status, made.headers.get('location')], [303, PAGE]);
  assert.ok(!(await cid.get(PAGE)).text.includes('&lt;first&gt;'));
  const [{ id }] = (await ada.get(RELEASES)).body;
  assert.match((await ben.get(`${PAGE}/${id}/edit`)).text, />Publish</);
  const published = await ben.post(`${PAGE}/${id}/edit`, fields);
  assert.equal(published.headers.get('location'), `${PAGE}/tag/v1`);
  assert.match((await cid.get(`${PAGE}/tag/v1`)).text, /The &lt;first&gt;.*<em>works<\/em>/s);
  assert.equal((await ben.post(`${PAGE}/${id}/edit`, { ...fields, tag_name: '' })).status, 422);
  assert.match((await cid.get(`${PAGE}?q=absent`)).text, /No release matches/);
  for (const path of ['edit', 'delete']) {
    assert.equal((await cid.post(`${PAGE}/${id}/${path}`, fields)).status, 403);
    assert.equal((await ben.post(`${PAGE}/999999/${path}`, fields)).status, 404);
    const options = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ben.post(`${PAGE}/${id}/${path}`, fields, options)).status, 403);
  }
  assert.equal((await ben.post(`${PAGE}/${id}/delete`, {})).status, 303);
  assert.deepEqual((await ada.get(RELEASES)).body, []);
  await ada.patch(ENGINE, { private: true });
  await ada.delete(`${ENGINE}/collaborators/cid`);
  for (const path of [PAGE, `${PAGE}/new`, `${PAGE}/${id}/edit`])
    assert.equal((await cid.get(path)).status, 404);
  assert.equal((await cid.post(`${PAGE}/new`, fields)).status, 404);
});

test('files are added to a release with a form, and deleted', async (t) => {
  const { ada, browsers } = await startPages(t);
  const { id } = (await ada.post(RELEASES, { tag_name: 'v1' })).body;
  const edit = `${PAGE}/${id}/edit`;
  const file = (name: string) => ({
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin' },
    body: `--b\r\nContent-Disposition: form-data; name="attachment"; filename="${name}"\r\n\r\nText\r\n--b--\r\n`,
  });
  const send = (browser: PageReader, name: string) =>
    browser.send('POST', `${PAGE}/${id}/assets`, file(name));
  assert.equal((await send(browsers.cid, 'a.txt')).status, 403);
  assert.equal((await send(browsers.ben, '')).status, 422);
  const added = await send(browsers.ben, 'a<b>.txt');
  assert.deepEqual([added.status, added.headers.get('location')], [303, edit]);
  const twice = await send(browsers.ben, 'a<b>.txt');
  assert.equal(twice.status, 422);
  assert.match(twice.text, /role="alert"/);
  const foreign = { ...file('b.txt'), headers: { ...file('').headers, 'sec-fetch-site': 'cross-site' } };
  assert.equal((await browsers.ben.send('POST', `${PAGE}/${id}/assets`, foreign)).status, 403);
  const page = (await browsers.cid.get(`${PAGE}/tag/v1`)).text;
  assert.match(page, /href="\/ada\/engine\/releases\/download\/v1\/a%3Cb%3E\.txt">a&lt;b&gt;\.txt</);
  const [asset] = (await ada.get(`${RELEASES}/${id}/assets`)).body;
  const remove = `${PAGE}/${id}/assets/${asset.id}/delete`;
  assert.equal((await browsers.ben.post(remove, {})).status, 303);
  assert.equal((await browsers.ben.post(remove, {})).status, 404);
  const left = (await ada.get(`${RELEASES}/${id}/assets`)).body;
  assert.deepEqual(
    left.map(({ name }: Wire) => name),
    [],
  );
});
