import assert from 'node:assert/strict';
import { request as startRequest } from 'node:http';
import { test } from 'node:test';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { RELEASE_LIMITS } from '../../../src/tracker/releases/limits.ts';
import { limit } from '../../hosting/quota/groups.ts';
import { keysOf } from '../../storage/objects.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { formOf } from '../issues/attachments/attachment-files.ts';
import {
  attach,
  ENGINE,
  pathOf,
  RELEASES,
  release,
  startReleases,
  uploadBody,
  type Wire,
} from './release-world.ts';

/** Deletes the files that have lost their release. @returns the keys of the others */
async function collected({ forge }: TestForge): Promise<readonly string[]> {
  const { services, engines } = forge.running;
  await services.releaseAssetFiles.collect({ signal: new AbortController().signal });
  return keysOf(engines.objects, 'release-assets/');
}

test('assets are uploaded as forms and as bodies of any type, listed, renamed and deleted, with events', async (t) => {
  const { forge, ada, ben } = await startReleases(t);
  const created = await release(ada, 'v1');
  const assets = `${RELEASES}/${created.id}/assets`;

  const form = await ada.send('POST', assets, await formOf('one', 'a b.txt'));
  assert.equal(form.status, 201, form.text);
  assert.match(form.body.uuid, /^[0-9a-f-]{36}$/);
  assert.deepEqual(form.body, {
    id: form.body.id,
    name: 'a b.txt',
    size: 3,
    download_count: 0,
    created_at: form.body.created_at,
    uuid: form.body.uuid,
    browser_download_url: `${forge.url}/ada/engine/releases/download/v1/a%20b.txt`,
    type: 'attachment',
  });
  const named = await ben.send('POST', `${assets}?name=b.txt`, await formOf('', 'ignored.txt'));
  assert.deepEqual([named.status, named.body.name, named.body.size], [201, 'b.txt', 0]);
  for (const [type, name] of [
    ['application/octet-stream', 'c'],
    ['application/json', 'd.json'],
    ['application/x-gzip', 'e.tgz'],
    ['text/plain', 'f'],
  ] as const) {
    const body = await uploadBody(ada, `${assets}?name=${name}`, '{"x":', type);
    assert.deepEqual([body.status, body.body.name, body.body.size], [201, name, 5], body.text);
  }
  const empty = await ada.send('POST', `${assets}?name=empty`);
  assert.deepEqual([empty.status, empty.body.size], [201, 0], 'a body without bytes');
  const listed = (await forge.get(assets)).body;
  assert.deepEqual(
    listed.map(({ name }: Wire) => name),
    ['a b.txt', 'b.txt', 'c', 'd.json', 'e.tgz', 'f', 'empty'],
  );
  for (const path of [RELEASES, `${RELEASES}/latest`])
    assert.deepEqual([(await forge.get(path)).body].flat()[0].assets, listed);
  assert.deepEqual((await forge.get(`${assets}/${form.body.id}`)).body, form.body);

  const renamed = await ben.patch(`${assets}/${form.body.id}`, { name: 'z.txt' });
  assert.equal(renamed.status, 201);
  assert.equal(pathOf(renamed.body.browser_download_url), '/ada/engine/releases/download/v1/z.txt');
  assert.deepEqual((await ben.patch(`${assets}/${form.body.id}`, renamed.body)).body, renamed.body);
  const stale = { json: { name: 'x' }, headers: { 'if-match': '"stale"' } };
  for (const method of ['PATCH', 'DELETE'])
    assert.equal((await ada.send(method, `${assets}/${form.body.id}`, stale)).status, 412);
  assert.equal((await ben.delete(`${assets}/${form.body.id}`)).status, 204);
  assert.equal((await ben.get(`${assets}/${form.body.id}`)).status, 404);
  assert.equal((await collected(forge)).length, 6);
  const [, ...events] = await eventsOf(forge.forge.running.engines.database, 'release.');
  assert.deepEqual(
    events.map(({ kind, changed }) => [kind, changed]),
    events.map(() => ['release.updated', ['assets']]),
  );
  assert.equal(events.length, 9);
});

test('an external asset has the address that the form gives it, and its download leads there', async (t) => {
  const { forge, ada } = await startReleases(t);
  const created = await release(ada, 'v1');
  const assets = `${RELEASES}/${created.id}/assets`;
  const external = async (url: string, query = '') => {
    const form = new FormData();
    form.append('external_url', url);
    const encoded = new Response(form);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const body = new Uint8Array(await encoded.arrayBuffer());
    return ada.send('POST', `${assets}${query}`, { body, headers });
  };

  const added = await external('https://example.org/files/tool%20x.zip?a=1');

  assert.equal(added.status, 201, added.text);
  const { type, name, size, browser_download_url: url } = added.body;
  assert.deepEqual(
    [type, name, size, url],
    ['external', 'tool x.zip', 0, 'https://example.org/files/tool%20x.zip?a=1'],
  );
  assert.equal((await external('https://example.org/', '?name=site')).body.name, 'site');
  const at = '/ada/engine/releases/download/v1/site';
  const sent = await forge.get(at);
  assert.deepEqual([sent.status, sent.headers.get('location')], [302, 'https://example.org/']);
  await until(async () => (await ada.get(assets)).body[1].download_count === 1);
  const [, site] = (await ada.get(assets)).body;
  const moved = await ada.patch(`${assets}/${site.id}`, { browser_download_url: 'https://example.com/x' });
  assert.deepEqual([moved.status, moved.body.browser_download_url], [201, 'https://example.com/x']);
  for (const wrong of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'example.org/x',
    'https://a:b@example.org/x',
  ]) {
    const answer = await external(wrong, '?name=wrong');
    assert.equal(answer.status, 422, `${wrong} ${answer.text}`);
    assert.equal((await ada.patch(`${assets}/${site.id}`, { browser_download_url: wrong })).status, 422);
  }
  const own = await attach(ada, created, 'own.txt');
  const elsewhere = { browser_download_url: 'https://example.org/own.txt' };
  assert.equal((await ada.patch(`${assets}/${own.id}`, elsewhere)).status, 422, 'the file is here');

  for (const order of [
    ['external_url', 'attachment'],
    ['attachment', 'external_url'],
  ]) {
    const form = new FormData();
    for (const field of order)
      form.append(field, field === 'attachment' ? new Blob(['x']) : 'https://example.org/y');
    const encoded = new Response(form);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const body = new Uint8Array(await encoded.arrayBuffer());
    const both = await ada.send('POST', `${assets}?name=both`, { body, headers });
    assert.equal(both.status, 400, both.text);
  }
  assert.equal((await ada.delete(`${assets}/${site.id}`)).status, 204);
  assert.equal((await ada.get(assets)).body.length, 2);
  assert.equal((await collected(forge)).length, 1);
});

test('an asset is downloaded by tag and from the latest release, in ranges and only if it is new, and counted', async (t) => {
  const { forge, ada } = await startReleases(t);
  const created = await release(ada, 'tools/v1');
  const asset = await attach(ada, created, 'a "ü".bin', '\u0000binary');
  const at = pathOf(asset.browser_download_url);
  assert.equal(at, '/ada/engine/releases/download/tools/v1/a%20%22%C3%BC%22.bin');

  const whole = await forge.get(at);
  assert.deepEqual([whole.status, whole.text], [200, '\u0000binary']);
  assert.equal(whole.headers.get('content-type'), 'application/octet-stream');
  assert.equal(
    whole.headers.get('content-disposition'),
    `attachment; filename="a \\"?\\".bin"; filename*=UTF-8''a%20%22%C3%BC%22.bin`,
  );
  assert.match(whole.headers.get('content-security-policy') ?? '', /sandbox/);
  const etag = whole.headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  assert.equal((await forge.get(at, { headers: { 'if-none-match': etag } })).status, 304);
  const part = await forge.get(at, { headers: { range: 'bytes=1-3' } });
  assert.deepEqual([part.status, part.text, part.headers.get('content-range')], [206, 'bin', 'bytes 1-3/7']);
  assert.equal((await forge.get(at, { headers: { range: 'bytes=99-' } })).status, 416);
  const head = await forge.send('HEAD', at);
  assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '7']);

  const latest = '/ada/engine/releases/latest/download/a%20%22%C3%BC%22.bin';
  assert.equal((await forge.get(latest)).text, '\u0000binary');
  await until(async () => (await ada.get(`${RELEASES}/${created.id}`)).body.assets[0].download_count === 2);

  const newer = await release(ada, 'v2');
  await attach(ada, newer, 'b.bin');
  assert.equal((await forge.get(latest)).status, 404, 'not in the latest release any more');
  assert.equal((await forge.get('/ada/engine/releases/latest/download/b.bin')).status, 200);
  for (const missing of ['v1/x', 'v9/b.bin', 'b.bin', 'v2/', 'a%00b/c'])
    assert.equal((await forge.get(`/ada/engine/releases/download/${missing}`)).status, 404, missing);
  await ada.patch(ENGINE, { name: 'motor' });
  assert.equal((await forge.get(at.replace('engine', 'motor'))).status, 200);
  assert.equal(
    new URL((await forge.get(at)).headers.get('location') ?? '', forge.url).pathname,
    at.replace('engine', 'motor'),
  );
});

test('an asset is also found at an address of attachments by its id, by those who may see it', async (t) => {
  const { forge, ada, cid } = await startReleases(t);
  const asset = await attach(ada, await release(ada, 'v1'), 'a.txt');
  const planned = await attach(ada, await release(ada, 'v2', { draft: true }), 'b.txt');
  const at = ({ uuid }: Wire) => `/attachments/${uuid}`;

  const sent = await forge.get(at(asset));
  assert.deepEqual([sent.status, sent.headers.get('location')], [302, asset.browser_download_url]);
  assert.deepEqual([(await cid.get(at(planned))).status, (await ada.get(at(planned))).status], [404, 302]);
  await ada.patch(ENGINE, { private: true });
  assert.deepEqual([(await forge.get(at(asset))).status, (await cid.get(at(asset))).status], [404, 302]);
});

test('assets are hidden with their repository, their release and their draft', async (t) => {
  const { forge, ada, cid } = await startReleases(t);
  await ada.repository('mill', { auto_init: true });
  const [one, two] = [await release(ada, 'v1'), await release(ada, 'v2')];
  const draft = await release(ada, 'v3', { draft: true });
  const asset = await attach(ada, one, 'a.txt');
  const planned = await attach(ada, draft, 'p.txt');
  const mill = '/api/v1/repos/ada/mill/releases';

  for (const url of [`${RELEASES}/${two.id}/assets`, `${mill}/${one.id}/assets`]) {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await ada.send(method, `${url}/${asset.id}`, { json: { name: 'x' } })).status, 404);
  }
  for (const id of ['999999', 'x', '0'])
    assert.equal((await ada.get(`${RELEASES}/${one.id}/assets/${id}`)).status, 404);
  assert.equal((await uploadBody(ada, `${mill}/${one.id}/assets?name=x`, 'x')).status, 404);
  for (const path of [pathOf(planned.browser_download_url), `${RELEASES}/${draft.id}/assets/${planned.id}`])
    assert.deepEqual([(await cid.get(path)).status, (await ada.get(path)).status], [404, 200], path);
  const assets = `${RELEASES}/${one.id}/assets`;
  assert.equal((await uploadBody(cid, `${assets}?name=x`, 'x')).status, 403);
  assert.equal((await forge.send('POST', `${assets}?name=x`, { body: 'x' })).status, 401);
  assert.equal((await cid.patch(`${assets}/${asset.id}`, { name: 'x' })).status, 403);
  assert.equal((await cid.delete(`${assets}/${asset.id}`)).status, 403);

  await ada.patch(ENGINE, { private: true });
  const dan = await forge.account('dan');
  const limited = { get: (path: string) => forge.send('GET', path, { as: { token: issuesOnly } }) };
  const issuesOnly = await ada.tokenFor(['read:issue']);
  for (const path of [pathOf(asset.browser_download_url), assets, `${assets}/${asset.id}`]) {
    for (const who of [forge, dan]) assert.equal((await who.get(path)).status, 404, path);
    assert.equal((await limited.get(path)).status, 403, path);
    assert.equal((await cid.get(path)).status, 200, path);
  }
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await uploadBody(ada, `${assets}?name=x`, 'x')).status, 423);
  assert.equal((await ada.patch(`${assets}/${asset.id}`, { name: 'x' })).status, 423);
  assert.equal((await ada.delete(`${assets}/${asset.id}`)).status, 423);
  await ada.patch(ENGINE, { archived: false, has_releases: false });
  assert.equal((await ada.get(pathOf(asset.browser_download_url))).status, 404);
});

test('bad names, bad forms, names in use, too many and too large assets are rejected, and leave nothing', async (t) => {
  const { forge, ada } = await startReleases(t);
  const { database } = forge.forge.running.engines;
  const created = await release(ada, 'v1');
  const assets = `${RELEASES}/${created.id}/assets`;
  const multipart = 'multipart/form-data; boundary=b';
  const part = '--b\r\nContent-Disposition: form-data; name="attachment"';

  assert.equal((await uploadBody(ada, assets, 'x')).status, 400, 'no name');
  for (const body of [
    '',
    '--b\r\nnonsense',
    `${part}\r\n\r\nno file name\r\n--b--\r\n`,
    `${part}; filename="a.txt"\r\n\r\nno end of the form\r\n`,
    '--b\r\nContent-Disposition: form-data; name="external_url"\r\n\r\n\r\n--b--\r\n',
  ]) {
    const answer = await uploadBody(ada, `${assets}?name=a.txt`, body, multipart);
    assert.equal(answer.status, 400, `${body} ${answer.text}`);
  }
  for (const name of [
    'x'.repeat(256),
    'a/b',
    '../b',
    '.',
    '..',
    'a\\b',
    'a\u0007b',
    'a\nb',
    'a\u202egpj.exe',
    ' ',
  ]) {
    const url = `${assets}?name=${encodeURIComponent(name)}`;
    assert.equal((await uploadBody(ada, url, 'x')).status, 422, JSON.stringify(name));
    assert.equal((await ada.send('POST', url, await formOf('x'))).status, 422, JSON.stringify(name));
  }
  const five = String(5 * 1024 ** 3);
  for (const length of [
    five,
    String(RELEASE_LIMITS.releaseAssetBytesMax + HTTP_LIMITS.formFieldBytesMax + 1),
  ]) {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': length };
    assert.equal((await ada.send('POST', `${assets}?name=large`, { headers, body: 'x' })).status, 413);
  }
  assert.deepEqual((await ada.get(assets)).body, []);
  assert.deepEqual(await collected(forge), []);
  assert.deepEqual(await database.reader.selectFrom('release_assets').select('id').execute(), []);

  const first = await attach(ada, created, 'a.txt');
  const other = await attach(ada, created, 'b.txt');
  assert.equal((await uploadBody(ada, `${assets}?name=a.txt`, 'y')).status, 409);
  assert.equal((await ada.patch(`${assets}/${other.id}`, { name: 'a.txt' })).status, 409);
  assert.equal((await ada.patch(`${assets}/${other.id}`, { name: 'a/b' })).status, 422);
  const atOnce = await Promise.all([1, 2, 3].map(() => uploadBody(ada, `${assets}?name=same`, 'z')));
  assert.deepEqual(atOnce.map(({ status }) => status).toSorted(), [201, 409, 409]);
  assert.equal((await collected(forge)).length, 3);

  const {
    id: _,
    uuid,
    ...row
  } = await database.reader
    .selectFrom('release_assets')
    .selectAll()
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: RELEASE_LIMITS.releaseAssetsMax - 3 }, (_none, index) => ({
    ...row,
    name: `copy ${index}`,
    uuid: `${index}-${uuid}`,
  }));
  await database.transaction((tx) => tx.insertInto('release_assets').values(copies).execute());
  assert.equal((await uploadBody(ada, `${assets}?name=more`, 'x')).status, 422);
});

test('an upload that is cut off, and one whose release is deleted meanwhile, leave nothing', async (t) => {
  const { forge, ada } = await startReleases(t);
  const { database } = forge.forge.running.engines;
  const rows = () => database.reader.selectFrom('release_assets').selectAll().execute();
  const created = await release(ada, 'v1');
  const begin = () => {
    const headers = { authorization: `token ${ada.token}`, 'content-type': 'application/octet-stream' };
    const url = `${forge.url}${RELEASES}/${created.id}/assets?name=a.bin`;
    const sent = startRequest(url, { method: 'POST', headers });
    const answered = new Promise<number>((resolve) => {
      sent.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.once('error', () => resolve(0));
    });
    sent.write('part');
    return { sent, answered };
  };

  const cut = begin();
  await until(async () => (await rows()).length === 1);
  cut.sent.destroy();
  assert.equal(await cut.answered, 0);
  await until(async () => (await rows()).length === 0);

  const late = begin();
  await until(async () => (await rows()).length === 1);
  assert.equal((await ada.delete(`${RELEASES}/${created.id}`)).status, 204);
  late.sent.end('rest');
  assert.equal(await late.answered, 404);
  await until(async () => (await rows()).length === 0);
  assert.deepEqual(await collected(forge), []);
});

test('files go with their asset, release, repository and owner', async (t) => {
  const { forge, ada, ben } = await startReleases(t);
  const { objects, database } = forge.forge.running.engines;
  const [one, two] = [await release(ada, 'v1'), await release(ada, 'v2', { draft: true })];
  const first = await attach(ada, one, 'a');
  await attach(ada, one, 'b');
  await attach(ben, two, 'c');
  await ben.repository('mill', { auto_init: true });
  const mill = '/api/v1/repos/ben/mill/releases';
  await attach(ben, await release(ben, 'v1', {}, mill), 'd', 'x', mill);
  const left = async () => (await keysOf(objects, 'release-assets/')).length;
  assert.equal(await left(), 4);

  const deletions = [
    [() => ada.delete(`${RELEASES}/${one.id}/assets/${first.id}`), 3],
    [() => ada.delete(`${RELEASES}/${two.id}`), 2],
    [() => forge.root.delete('/api/v1/admin/users/ben?purge=true'), 1],
    [() => ada.delete(ENGINE), 0],
  ] as const;
  for (const [remove, count] of deletions) {
    assert.equal((await remove()).status, 204);
    await until(async () => (await left()) === count);
  }
  await until(
    async () => (await database.reader.selectFrom('release_assets').select('id').execute()).length === 0,
  );
});

test('assets count for the quota of the owner, before and while their bytes arrive', async (t) => {
  const { forge, ada } = await startReleases(t, { settings: { lfsOwnerMib: '1' } });
  const created = await release(ada, 'v1');
  const assets = `${RELEASES}/${created.id}/assets`;
  await attach(ada, created, 'a', 'x'.repeat(800_000));

  const refused = await uploadBody(ada, `${assets}?name=b`, 'x'.repeat(400_000));
  assert.equal(refused.status, 413, refused.text);
  const declared = { 'content-type': 'application/octet-stream', 'content-length': '10000000' };
  assert.equal((await ada.send('POST', `${assets}?name=b`, { headers: declared, body: 'x' })).status, 413);
  assert.equal((await ada.get(assets)).body.length, 1);
  assert.equal((await collected(forge)).length, 1);
  await ada.delete(`${assets}/${(await ada.get(assets)).body[0].id}`);
  await attach(ada, created, 'b', 'x'.repeat(400_000));
});

test('an asset on another server needs no room', async (t) => {
  const { forge, ada } = await startReleases(t);
  const created = await release(ada, 'v1');
  await limit(forge.root, 'ada', { bytes: 0, subjects: ['size:all'] });

  const form = new FormData();
  form.set('external_url', 'https://example.org/a.zip');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const body = Buffer.from(await encoded.arrayBuffer());
  const linked = await ada.send('POST', `${RELEASES}/${created.id}/assets`, { headers, body });
  assert.equal(linked.status, 201, linked.text);
  assert.equal((await uploadBody(ada, `${RELEASES}/${created.id}/assets?name=b`, 'x')).status, 413);
});
