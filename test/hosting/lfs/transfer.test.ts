import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { batch, download, follow, LFS_TYPE, objectOf, sendLfs, storedFiles, upload } from './objects.ts';

test('objects are uploaded, verified and downloaded', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const root = '/ada/engine.git/info/lfs';

  await t.test('an uploaded object comes back with the same bytes', async () => {
    const content = Buffer.from('picture');
    const object = objectOf(content);
    const answer = await batch(ada, 'ada/engine', 'upload', [object]);
    const { actions } = answer.body.objects[0];
    const early = await follow('POST', actions.verify, JSON.stringify(object));
    const sent = await follow('PUT', actions.upload, content);
    const verified = await follow('POST', actions.verify, JSON.stringify(object));
    const longer = await follow('POST', actions.verify, JSON.stringify({ ...object, size: 8 }));
    const malformed = await follow('POST', actions.verify, JSON.stringify({ ...object, oid: 'x' }));
    const unread = await follow('POST', actions.verify, '{');
    const again = await batch(ada, 'ada/engine', 'upload', [object]);
    const back = await download(forge, 'ada/engine', object);

    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), LFS_TYPE);
    assert.deepEqual(Object.keys(answer.body), ['objects']);
    assert.equal(actions.upload.href, `${forge.url}${root}/objects/${object.oid}/7`);
    assert.equal(actions.verify.href, `${forge.url}${root}/verify`);
    assert.equal(actions.verify.header.Accept, `${LFS_TYPE};q=0.9, */*;q=0.8`);
    assert.equal(early.status, 404);
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(
      [verified, longer, malformed, unread].map(({ status }) => status),
      [200, 404, 422, 422],
    );
    assert.deepEqual(again.body, { objects: [object] });
    assert.equal(back?.text, 'picture');
    assert.equal(back?.headers.get('content-type'), 'application/octet-stream');
  });

  await t.test('an empty object is stored', async () => {
    const object = await upload(ada, 'ada/engine', '');
    const back = await download(ada, 'ada/engine', object);
    assert.deepEqual([back?.status, back?.text], [200, '']);
  });

  await t.test('a batch reports each object by itself', async () => {
    const stored = await upload(ada, 'ada/engine', 'stored');
    const missing = objectOf('missing');
    const malformed = [
      { oid: `${stored.oid}0`, size: 1 },
      { oid: stored.oid.toUpperCase(), size: 1 },
      { oid: `../../${stored.oid.slice(6)}`, size: 1 },
      { ...missing, size: -1 },
      { ...missing, size: 0.5 },
      { ...missing, size: 2 ** 60 },
    ];
    const longer = { ...stored, size: 7 };

    const down = await batch(ada, 'ada/engine', 'download', [stored, missing, longer, ...malformed]);
    const up = await batch(ada, 'ada/engine', 'upload', [stored, missing, longer, ...malformed]);

    const codes = (answer: typeof down) =>
      answer.body.objects.map((each: { error?: { code: number } }) => each.error?.code ?? null);
    assert.deepEqual([down.status, up.status], [200, 200]);
    assert.deepEqual(codes(down), [null, 404, 422, 422, 422, 422, 422, 422, 422]);
    assert.deepEqual(codes(up), [null, null, 422, 422, 422, 422, 422, 422, 422]);
    assert.deepEqual(down.body.objects[1], { ...missing, error: { code: 404, message: 'Not Found' } });
  });

  await t.test('a batch that makes no sense is rejected as a whole', async () => {
    const url = `${root}/objects/batch`;
    const headers = { accept: LFS_TYPE };
    const send = (body: string) => ada.send('POST', url, { body, headers });
    const object = objectOf('x');

    assert.equal((await send('{')).status, 400);
    assert.equal((await send('')).status, 400);
    assert.equal((await send('[]')).status, 400);
    assert.equal((await batch(ada, 'ada/engine', 'delete', [object])).status, 400);
    assert.equal((await batch(ada, 'ada/engine', 'upload', [{ oid: 7, size: 1 }])).status, 400);
    assert.equal((await send('{"operation":"download"}')).text, '{"objects":[]}');
    const many = await batch(ada, 'ada/engine', 'download', Array(1_001).fill(object));
    assert.equal(many.status, 413);
    assert.match(many.body.message, /at most 1000 objects/);
    assert.equal(many.body.request_id, many.headers.get('x-request-id'));
    assert.equal(many.headers.get('content-type'), LFS_TYPE);
    assert.equal((await send(' '.repeat(1024 * 1024 + 1))).status, 413);
  });

  await t.test('clients must accept the media type of git-lfs before any other', async () => {
    const json = { operation: 'download', objects: [] };
    const statusOf = async (accept: string) =>
      (await sendLfs(ada, 'POST', `${root}/objects/batch`, json, { headers: { accept } })).status;

    assert.equal(await statusOf(`${LFS_TYPE}; charset=utf-8`), 200);
    for (const accept of ['*/*', 'application/json', `${LFS_TYPE}, */*`, 'application/vnd.git-lfs', ''])
      assert.equal(await statusOf(accept), 415, accept);
  });

  await t.test('content other than announced is rejected and not stored', async () => {
    const object = objectOf('right');
    const url = `${root}/objects/${object.oid}/5`;
    const put = (body: string, path = url) => ada.send('PUT', path, { body });

    assert.equal((await put('wrong')).status, 422);
    assert.equal((await put('righ')).status, 422);
    assert.equal((await put('right!')).status, 422);
    assert.equal((await put('right', `${root}/objects/${object.oid}/6`)).status, 422);
    for (const size of ['-1', '5.0', 'x', '99999999999999999'])
      assert.equal((await put('right', `${root}/objects/${object.oid}/${size}`)).status, 422, size);
    assert.equal((await ada.get(`${root}/objects/${object.oid}`)).status, 404);
    assert.deepEqual(storedFiles(forge, object), []);
    assert.equal((await put('right')).status, 200);
    assert.equal((await put('wrong')).status, 422);
    assert.equal((await put('right')).status, 200);
    assert.equal((await ada.get(`${root}/objects/${object.oid}`)).text, 'right');
  });

  await t.test('C5: an id other than 64 lower-case hex digits is rejected by every request', async () => {
    const { oid } = objectOf('right');
    for (const other of ['%2e%2e%2f', `..%2F${oid}`, oid.toUpperCase(), `${oid}.1`, oid.slice(1), 'x']) {
      const url = `${root}/objects/${other}`;
      assert.equal((await ada.send('PUT', `${url}/5`, { body: 'right' })).status, 422, other);
      assert.equal((await ada.get(url)).status, 422, other);
      const named = { oid: decodeURIComponent(other), size: 5 };
      assert.equal((await sendLfs(ada, 'POST', `${root}/verify`, named)).status, 422, other);
      const { body } = await batch(ada, 'ada/engine', 'upload', [named]);
      assert.equal(body.objects[0].error.code, 422, other);
    }
  });

  await t.test('a body without a stated length is stored', async () => {
    const object = objectOf('in chunks');
    const sent = request(`${forge.url}${root}/objects/${object.oid}/${object.size}`, {
      method: 'PUT',
      headers: { authorization: `token ${ada.token}` },
    });
    sent.write('in ');
    sent.end('chunks');
    const [response] = await once(sent, 'response');
    response.resume();
    assert.equal(response.statusCode, 200);
    assert.equal((await download(ada, 'ada/engine', object))?.text, 'in chunks');
  });

  await t.test('an upload whose client leaves stores nothing, and another one succeeds', async () => {
    const object = objectOf('left behind');
    const sent = request(`${forge.url}${root}/objects/${object.oid}/${object.size}`, {
      method: 'PUT',
      headers: { authorization: `token ${ada.token}`, 'content-length': object.size },
    });
    sent.on('error', () => {});
    sent.write('left');
    await until(() => forge.forge.running.services.largeFiles.uploads.running === 1);
    sent.destroy();
    await until(() => forge.forge.running.services.largeFiles.uploads.running === 0);

    assert.deepEqual(storedFiles(forge, object), []);
    await upload(ada, 'ada/engine', 'left behind');
    assert.equal((await download(ada, 'ada/engine', object))?.text, 'left behind');
  });

  await t.test('an object is sent in ranges, with its version and its name', async () => {
    const object = await upload(ada, 'ada/engine', '0123456789');
    const url = `${root}/objects/${object.oid}`;
    const get = (headers: Record<string, string>) => ada.get(url, { headers });

    const tail = await get({ range: 'bytes=7-' });
    assert.deepEqual([tail.status, tail.text], [206, '789']);
    assert.equal(tail.headers.get('content-range'), 'bytes 7-9/10');
    assert.equal(tail.headers.get('access-control-expose-headers'), 'Content-Range');
    assert.equal(tail.headers.get('etag'), `"${object.oid}"`);
    assert.equal((await get({ range: 'bytes=2-3' })).text, '23');
    const beyond = await get({ range: 'bytes=10-' });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */10']);
    assert.equal((await get({ 'if-none-match': `"${object.oid}"` })).status, 304);
    const head = await ada.send('HEAD', url);
    assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '10', '']);

    const name = Buffer.from('naïve "plan".pdf').toString('base64url');
    const named = await ada.get(`${url}/${name}`);
    assert.equal(named.text, '0123456789');
    assert.match(
      named.headers.get('content-disposition') ?? '',
      /^attachment; filename=.*; filename\*=UTF-8''na%C3%AFve%20%22plan%22.pdf$/,
    );
  });

  await t.test(
    'an object whose bytes are missing from the disk is missing, until it is uploaded again',
    async () => {
      const object = await upload(ada, 'ada/engine', 'damaged');
      const [file = ''] = storedFiles(forge, object);
      await rm(file);
      assert.equal((await ada.get(`${root}/objects/${object.oid}`)).status, 404);
      await ada.send('PUT', `${root}/objects/${object.oid}/${object.size}`, { body: 'damaged' });
      assert.equal((await ada.get(`${root}/objects/${object.oid}`)).text, 'damaged');
      assert.equal(await readFile(file, 'utf8'), 'damaged');
    },
  );
});

test('settings limit the size of objects, and the bytes of an owner', async (t) => {
  const forge = await startForge(t, { settings: { lfsObjectMib: '1', lfsOwnerMib: '2' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('mill');
  const mib = (fill: string, more = 0) => Buffer.alloc(1024 * 1024 + more, fill);
  const put = (repository: string, content: Buffer<ArrayBuffer>) => {
    const { oid, size } = objectOf(content);
    return ada.send('PUT', `/ada/${repository}/info/lfs/objects/${oid}/${size}`, { body: content });
  };

  const large = await batch(ada, 'ada/engine', 'upload', [objectOf(mib('a', 1))]);
  assert.equal(large.body.objects[0].error.code, 422);
  assert.equal((await put('engine', mib('a', 1))).status, 413);
  const together = [objectOf(mib('a')), objectOf(mib('b')), objectOf(mib('b'))];
  assert.equal((await batch(ada, 'ada/engine', 'upload', together)).status, 200);
  const three = await batch(ada, 'ada/engine', 'upload', [...together, objectOf(mib('c'))]);
  assert.equal(three.status, 413);

  assert.equal((await put('engine', mib('a'))).status, 200);
  // In another repository of the same owner, the object takes no more room.
  assert.equal((await put('mill', mib('b'))).status, 200);
  assert.equal((await put('mill', mib('c'))).status, 413);
  assert.equal((await batch(ada, 'ada/mill', 'upload', [objectOf('c')])).status, 413);
  assert.equal((await batch(ada, 'ada/mill', 'download', [objectOf(mib('b'))])).status, 200);
});

test('an unfinished upload counts against the room of its owner, as the whole object', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '2' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const [first, second] = [Buffer.alloc(1_500_000, 'a'), Buffer.alloc(1_000_000, 'b')];
  const url = (kind: string, { oid, size }: { oid: string; size: number }) =>
    `/ada/engine.git/info/lfs/${kind}/${oid}/${size}`;
  const append = (content: Buffer<ArrayBuffer>, from: number, to: number) =>
    ada.send('PATCH', url('uploads', objectOf(content)), {
      body: content.subarray(from, to),
      headers: {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(from),
      },
    });
  assert.equal((await append(first, 0, 10)).status, 204);

  const other = await ada.send('PUT', url('objects', objectOf(second)), { body: second });
  assert.equal(other.status, 413);
  assert.match(other.body.message, /has no room for this, counting unfinished uploads/);
  assert.equal((await append(second, 0, 10)).status, 413);
  assert.equal((await batch(ada, 'ada/engine', 'upload', [objectOf(second)])).status, 413);

  // It does not count twice.
  assert.equal((await batch(ada, 'ada/engine', 'upload', [objectOf(first)])).status, 200);
  assert.equal((await append(first, 10, first.length)).status, 204);
  assert.equal((await batch(ada, 'ada/engine', 'upload', [objectOf(Buffer.alloc(500_000))])).status, 200);
});
