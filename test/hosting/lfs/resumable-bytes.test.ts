import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { batch, download, objectOf, upload } from './objects.ts';
import { headersAt, offsetOf, patch, storedParts, uploadPath } from './tus.ts';

const KIB = 1024;
/** An owner has room for one of these. */
const LARGE = 600 * KIB;

async function startWithQuota(t: Parameters<typeof startForge>[0]) {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { forge, ada };
}

function storedBytes(forge: TestForge): number {
  return [...storedParts(forge).values()].reduce((sum, bytes) => sum + bytes, 0);
}

test('an upload that begins with a smaller size counts with its own size', async (t) => {
  const { forge, ada } = await startWithQuota(t);
  const [one, two] = [Buffer.alloc(LARGE, 'x'), Buffer.alloc(LARGE, 'y')];
  const begin = async (content: Buffer<ArrayBuffer>) => {
    const object = objectOf(content);
    const small = uploadPath('ada/engine', { ...object, size: 1 });
    assert.equal((await patch(ada, small, { offset: 0, body: '' })).status, 204);
    const body = content.subarray(0, 500 * KIB);
    return patch(ada, uploadPath('ada/engine', object), { offset: 0, body });
  };

  assert.equal((await begin(one)).status, 204);
  const rejected = await begin(two);

  assert.equal(rejected.status, 413);
  assert.match(rejected.body.message, /has no room for this, counting unfinished uploads/);
  assert.equal(storedBytes(forge), 500 * KIB);
});

test('an upload starts again with another size', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const object = objectOf('one two');
  const wrong = uploadPath('ada/engine', { ...object, size: 70 });
  const right = uploadPath('ada/engine', object);
  assert.equal((await patch(ada, wrong, { offset: 0, body: 'one ' })).status, 204);
  assert.deepEqual([await offsetOf(ada, wrong), await offsetOf(ada, right)], [4, 0]);

  assert.equal((await patch(ada, right, { offset: 4, body: 'two' })).status, 409);
  assert.equal((await patch(ada, right, { offset: 0, body: 'one' })).status, 204);
  assert.deepEqual([await offsetOf(ada, wrong), await offsetOf(ada, right)], [0, 3]);
  assert.equal(storedBytes(forge), 3);
  assert.equal((await patch(ada, right, { offset: 3, body: ' two' })).status, 204);

  const known = await patch(ada, wrong, { offset: 0, body: 'one ' });
  assert.deepEqual([known.status, known.body.message], [422, 'the object has 7 bytes instead of 70']);
  assert.equal(await offsetOf(ada, wrong), 'status 422');
  assert.equal((await patch(ada, right, { offset: 3, body: ' two' })).status, 409);
  assert.deepEqual([await offsetOf(ada, right), storedBytes(forge)], [7, 0]);
  assert.equal(existsSync(join(forge.forge.dataFolder, 'objects/lfs-parts')), false);
});

test('the same object counts in each unfinished upload, because each stores its bytes', async (t) => {
  const { forge, ada } = await startWithQuota(t);
  await ada.repository('mill');
  const content = Buffer.alloc(LARGE, 'x');
  const object = objectOf(content);
  const part = { offset: 0, body: content.subarray(1) };
  assert.equal((await patch(ada, uploadPath('ada/engine', object), part)).status, 204);

  assert.equal((await patch(ada, uploadPath('ada/mill', object), part)).status, 413);
  assert.equal((await batch(ada, 'ada/mill', 'upload', [object])).status, 413);
  assert.equal((await batch(ada, 'ada/engine', 'upload', [object])).status, 200);
  const last = { offset: LARGE - 1, body: 'x' };
  assert.equal((await patch(ada, uploadPath('ada/engine', object), last)).status, 204);
  assert.equal(storedBytes(forge), 0);
});

test('an upload as a whole ends the unfinished one of the same object', async (t) => {
  const { forge, ada } = await startWithQuota(t);
  const content = Buffer.alloc(LARGE, 'x');
  const object = objectOf(content);
  const part = { offset: 0, body: content.subarray(1) };
  assert.equal((await patch(ada, uploadPath('ada/engine', object), part)).status, 204);

  await upload(ada, 'ada/engine', content);

  await until(() => storedBytes(forge) === 0);
  await until(
    async () =>
      (await batch(ada, 'ada/engine', 'upload', [{ ...objectOf('y'), size: 300 * KIB }])).status === 200,
  );
});

test('a request without the beginning of an object reserves nothing', async (t) => {
  const { ada } = await startWithQuota(t);
  const object = objectOf(Buffer.alloc(LARGE, 'x'));
  assert.equal((await patch(ada, uploadPath('ada/engine', object), { offset: 5, body: 'x' })).status, 409);
  const other = { ...objectOf('y'), size: LARGE };
  assert.equal((await batch(ada, 'ada/engine', 'upload', [other])).status, 200);
});

test('a request that continues an upload ends the one before it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const text = 'one two three';
  const object = objectOf(text);
  const path = uploadPath('ada/engine', object);
  const open = request(`${forge.url}${path}`, {
    method: 'PATCH',
    headers: { ...headersAt(0), authorization: `token ${ada.token}`, 'content-length': object.size },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    open.on('response', ({ statusCode }) => resolve(statusCode));
    open.on('error', reject);
  });
  open.write('one ');
  const incoming = join(forge.forge.dataFolder, 'objects/.incoming');
  await until(() => readdirSync(incoming).length === 1);

  const second = await patch(ada, path, { offset: 0, body: text });

  assert.deepEqual([second.status, second.body.message], [409, '4 bytes have arrived: continue there']);
  assert.equal(await answered, 409);
  open.destroy();
  assert.deepEqual([await offsetOf(ada, path), storedBytes(forge)], [4, 4]);
  assert.equal((await patch(ada, path, { offset: 4, body: text.slice(4) })).status, 204);
  assert.equal((await download(ada, 'ada/engine', object))?.text, text);
});

test('uploads at the same time have room together', async (t) => {
  const { forge, ada } = await startWithQuota(t);
  const [one, two] = [Buffer.alloc(LARGE, 'x'), Buffer.alloc(LARGE, 'y')];
  const put = (content: Buffer<ArrayBuffer>) => {
    const { oid, size } = objectOf(content);
    return `/ada/engine.git/info/lfs/objects/${oid}/${size}`;
  };
  const open = request(`${forge.url}${put(one)}`, {
    method: 'PUT',
    headers: { authorization: `token ${ada.token}`, 'content-length': LARGE },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    open.on('response', ({ statusCode }) => resolve(statusCode));
    open.on('error', reject);
  });
  open.write(one.subarray(0, 10));
  const incoming = join(forge.forge.dataFolder, 'objects/.incoming');
  await until(() => readdirSync(incoming).length === 1);

  const second = await ada.send('PUT', put(two), { body: two });
  assert.deepEqual([second.status, readdirSync(incoming).length], [413, 1]);
  open.end(one.subarray(10));
  assert.equal(await answered, 200);
  assert.equal((await ada.send('PUT', put(two), { body: two })).status, 413);
});
