import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { pushedRepository } from '../../code/contents/files.ts';
import { startForge } from '../../support/forge/forge.ts';
import { batch, objectOf, pointerTo, storedFiles, upload } from './objects.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

test('media resolves pointers, and raw never does', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const stored = objectOf('the object');
  const pointer = pointerTo(stored);
  const padded = (bytes: number) => pointer + '#'.repeat(bytes - pointer.length);
  const files = {
    'plan.txt': pointer,
    'dot.png': pointerTo(objectOf(PNG)),
    'exactly-1024': padded(1024),
    'exactly-1025': padded(1025),
    'missing.bin': pointerTo(objectOf('never uploaded')),
    'other-version': pointer.replace('spec/v1', 'spec/v2'),
    'upper-case': pointer.replace(stored.oid, stored.oid.toUpperCase()),
    'no-size': pointer.split('\n').slice(0, 2).join('\n'),
    'negative-size': pointer.replace('size ', 'size -'),
    'windows-lines': pointer.replaceAll('\n', '\r\n'),
    'late-version': `\n${pointer}`,
    'swapped-lines': [0, 2, 1].map((line) => pointer.split('\n')[line]).join('\n'),
    'wrong-size.txt': pointer.replace('size 10', 'size 11'),
    empty: '',
  };
  await pushedRepository(t, ada, 'engine', files);
  await upload(ada, 'ada/engine', 'the object');
  await upload(ada, 'ada/engine', PNG);
  const of = (kind: string, path: string) => `/api/v1/repos/ada/engine/${kind}/${path}`;

  await t.test('a pointer to an object of the repository gives the object', async () => {
    for (const path of ['plan.txt', 'exactly-1024', 'wrong-size.txt']) {
      const media = await forge.get(of('media', path));
      assert.deepEqual([media.status, media.text], [200, 'the object'], path);
      assert.equal(media.headers.get('etag'), `"${stored.oid}"`);
    }
    const page = await forge.get('/ada/engine/media/branch/main/plan.txt');
    assert.equal(page.text, 'the object');
  });

  await t.test('everything else is sent as it is', async () => {
    const resolved = ['plan.txt', 'exactly-1024', 'wrong-size.txt', 'dot.png'];
    for (const [path, content] of Object.entries(files)) {
      const raw = await forge.get(of('raw', path));
      assert.deepEqual([raw.status, raw.text], [200, content], path);
      if (resolved.includes(path)) continue;
      const media = await forge.get(of('media', path));
      assert.deepEqual([media.status, media.text], [200, content], path);
      assert.equal(media.headers.get('etag'), raw.headers.get('etag'));
      assert.notEqual(media.headers.get('last-modified'), null);
    }
  });

  await t.test('an object has the headers of a file, ranges and a version', async () => {
    const url = of('media', 'plan.txt');
    const whole = await forge.get(url);
    assert.equal(whole.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(
      whole.headers.get('content-disposition'),
      `inline; filename="plan.txt"; filename*=UTF-8''plan.txt`,
    );
    assert.match(whole.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.equal(whole.headers.get('x-gitea-object-type'), 'file');
    assert.equal(whole.headers.get('x-forgejo-object-type'), 'file');
    assert.equal(whole.headers.get('content-length'), '10');
    const part = await forge.get(url, { headers: { range: 'bytes=4-' } });
    assert.deepEqual([part.status, part.text], [206, 'object']);
    assert.equal(part.headers.get('content-range'), 'bytes 4-9/10');
    assert.equal((await forge.get(url, { headers: { range: 'bytes=10-' } })).status, 416);
    assert.equal((await forge.get(url, { headers: { 'if-none-match': `"${stored.oid}"` } })).status, 304);
    const head = await forge.send('HEAD', url);
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);
    const png = await forge.get(of('media', 'dot.png'));
    assert.equal(png.headers.get('content-type'), 'image/png');
  });

  await t.test('F1: an object that a browser would run is sent as text', async () => {
    const script = '<script>alert(1)</script>';
    await pushedRepository(t, ada, 'page', { 'page.html': pointerTo(objectOf(script)) });
    await upload(ada, 'ada/page', script);
    const { headers, text } = await forge.get('/api/v1/repos/ada/page/media/page.html');
    assert.equal(text, script);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });

  await t.test('a pointer whose bytes are missing from the disk is sent as it is', async () => {
    for (const file of storedFiles(forge, objectOf(PNG))) await rm(file);
    const media = await forge.get(of('media', 'dot.png'));
    assert.deepEqual([media.status, media.text], [200, files['dot.png']]);
  });
});

test('with serve-direct, objects come from signed addresses of the object store', async (t) => {
  const forge = await startForge(t, { settings: { serveDirect: 'true' } });
  const ada = await forge.account('ada');
  const object = objectOf('direct');
  await pushedRepository(t, ada, 'engine', { 'plan.txt': pointerTo(object), plain: 'plain' });
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  await upload(ada, 'ada/engine', 'direct');

  const media = await ada.get('/api/v1/repos/ada/engine/media/plan.txt');
  assert.equal(media.status, 302);
  assert.equal(media.headers.get('cache-control'), 'no-store');
  const address = new URL(media.headers.get('location') ?? '');
  const direct = await forge.get(`${address.pathname}${address.search}`);
  assert.deepEqual([direct.status, direct.text], [200, 'direct']);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/media/plain')).text, 'plain');
  assert.equal((await ada.get('/api/v1/repos/ada/engine/raw/plan.txt')).text, pointerTo(object));

  const [answer] = (await batch(ada, 'ada/engine', 'download', [object])).body.objects;
  assert.deepEqual(Object.keys(answer.actions.download), ['href']);
  const download = new URL(answer.actions.download.href);
  assert.equal((await forge.get(`${download.pathname}${download.search}`)).text, 'direct');
  const forged = download.search.replace(/signature=.../, 'signature=AAA');
  assert.equal((await forge.get(`${download.pathname}${forged}`)).status, 403);
});
