import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import type { S3Settings } from '../../src/storage/s3/settings.ts';
import { S3Storage } from '../../src/storage/s3/storage.ts';
import { afterTest } from '../support/after-test.ts';
import { incompleteUploads, s3Bucket, whyNoS3 } from '../support/s3.ts';
import { bodyOf, failsAs, keysOf, read } from './objects.ts';
import { testStorage } from './suite.ts';

// Runs once: no outcome depends on the database.
// Runs on a disk, as a server does.

const skip = whyNoS3;
const PART = STORAGE_LIMITS.s3PartBytes;

function clientOf(t: TestContext, { endpoint, region, accessKeyId, secretAccessKey }: S3Settings): S3Client {
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  afterTest(t, () => client.destroy());
  return client;
}

async function openStorage(t: TestContext, change: Partial<S3Settings> = {}) {
  const bucket = await s3Bucket();
  const { settings } = bucket;
  const storage = new S3Storage({ ...settings, ...change });
  afterTest(t, () => storage.close());
  return { storage, settings, leftovers: () => incompleteUploads(bucket) };
}

testStorage('S3', openStorage, { skip });

test('a large object arrives in parts', { skip }, async (t) => {
  const { storage, leftovers } = await openStorage(t);
  const content = randomBytes(2 * PART + 1);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const pieces = Array.from({ length: 100 }, (_, i) => content.subarray(i * 200_000, (i + 1) * 200_000));

  assert.equal(
    await storage.put('large', bodyOf(...pieces), { sha256, sizeBytes: content.length }),
    'stored',
  );

  assert.equal((await storage.head('large'))?.sizeBytes, content.length);
  assert.ok((await buffer((await storage.get('large')).body)).equals(content));
  const end = content.length - 1;
  const part = await storage.get('large', { start: PART - 1, end: PART });
  assert.ok((await buffer(part.body)).equals(content.subarray(PART - 1, PART + 1)));
  assert.equal(part.sizeBytes, content.length);
  assert.equal((await buffer((await storage.get('large', { start: end })).body)).length, 1);
  assert.deepEqual(await leftovers(), []);
});

for (const [size, what] of [
  [PART, 'one whole part'],
  [2 * PART, 'two whole parts'],
] as const) {
  test(`an object of ${what} is complete`, { skip }, async (t) => {
    const { storage, leftovers } = await openStorage(t);
    const content = Buffer.alloc(size, 'quire ');

    await storage.put('whole', bodyOf(content));

    assert.ok((await buffer((await storage.get('whole')).body)).equals(content));
    assert.deepEqual(await leftovers(), []);
  });
}

test('a large body that is wrong, too long or breaks off leaves neither an object nor parts', {
  skip,
}, async (t) => {
  const { storage, leftovers } = await openStorage(t);
  const content = Buffer.alloc(2 * PART + 5, 1);
  const broken = async function* () {
    yield content;
    throw new Error('the client disconnected');
  };

  await assert.rejects(storage.put('a', bodyOf(content), { sha256: '0'.repeat(64) }), failsAs('invalid'));
  await assert.rejects(
    storage.put('a', bodyOf(content), { sizeBytes: content.length + 1 }),
    failsAs('invalid'),
  );
  await assert.rejects(
    storage.put('a', bodyOf(content), { bytesMax: content.length - 1 }),
    failsAs('too_large'),
  );
  await assert.rejects(storage.put('a', broken()), /the client disconnected/);

  assert.deepEqual([...(await keysOf(storage, '')), ...(await leftovers())], []);
});

test('of several concurrent create-only uploads in parts, one succeeds', { skip }, async (t) => {
  const { storage, leftovers } = await openStorage(t);
  const bodies = [1, 2, 3].map((byte) => Buffer.alloc(PART + 1, byte));

  const outcomes = await Promise.all(
    bodies.map((body) => storage.put('a', bodyOf(body), { ifAbsent: true })),
  );

  assert.deepEqual(outcomes.toSorted(), ['already there', 'already there', 'stored']);
  const stored = await buffer((await storage.get('a')).body);
  assert.ok(bodies[outcomes.indexOf('stored')]?.equals(stored));
  assert.deepEqual(await leftovers(), []);
});

test('a list continues over pages, in byte order', { skip }, async (t) => {
  const { storage } = await openStorage(t);
  const keys = Array.from({ length: 1_005 }, (_, i) => `many/${`${i}`.padStart(4, '0')}`);
  for (let i = 0; i < keys.length; i += 50) {
    await Promise.all(keys.slice(i, i + 50).map((key) => storage.put(key, bodyOf('x'))));
  }

  assert.deepEqual(await keysOf(storage, ''), keys);
  assert.deepEqual(await keysOf(storage, 'many/', 'many/0999'), keys.slice(1000));
});

test('a store holds only what is below its prefix and has a valid key', { skip }, async (t) => {
  const { storage, settings } = await openStorage(t);
  const outside = new S3Storage({ ...settings, prefix: '' });
  afterTest(t, () => outside.close());
  await outside.put('other/a', bodyOf('other'));
  await outside.put('site2/a', bodyOf('other'));
  await storage.put('a', bodyOf('own'));

  assert.deepEqual(await keysOf(storage, ''), ['a']);
  assert.deepEqual(await keysOf(outside, ''), ['other/a', 'site/a', 'site2/a']);
  assert.equal(await read(outside, 'site/a'), 'own');
});

test('unfinished uploads of a killed server are removed once they are old', { skip }, async (t) => {
  const { storage, settings, leftovers } = await openStorage(t);
  const client = clientOf(t, settings);
  for (const Key of ['site/a', 'site/b', 'other/c'])
    await client.send(new CreateMultipartUploadCommand({ Bucket: settings.bucket, Key }));

  await storage.removeAbandoned(STORAGE_LIMITS.incomingObjectMs);
  assert.equal((await leftovers()).length, 3);

  await storage.removeAbandoned(-60_000);
  assert.deepEqual(await leftovers(), ['other/c']);
});

test('a signed address gives the object to anyone, and nothing else', { skip }, async (t) => {
  const { storage } = await openStorage(t);
  await storage.put('some/object', bodyOf('hello world'));
  await storage.put('some/other', bodyOf('secret'));
  const request = {
    method: 'GET',
    lifetimeMs: 60_000,
    fileName: 'ünï "x".zip',
    contentType: 'application/zip',
  } as const;
  const url = await storage.signedUrl('some/object', request);
  const head = await storage.signedUrl('some/object', { ...request, method: 'HEAD' });

  const whole = await fetch(url);
  const part = await fetch(url, { headers: { range: 'bytes=6-' } });
  const described = await fetch(head, { method: 'HEAD' });

  assert.equal(await whole.text(), 'hello world');
  assert.equal(whole.headers.get('content-type'), 'application/zip');
  assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename=/);
  assert.deepEqual([part.status, await part.text()], [206, 'world']);
  assert.deepEqual([described.status, described.headers.get('content-length')], [200, '11']);
  const changed = new URL(url);
  changed.searchParams.set('response-content-type', 'text/html');
  for (const forged of [url.replace('some/object', 'some/other'), changed.href, url.replace(/.$/, '')])
    assert.equal((await fetch(forged)).status, 403, forged);
  assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
  assert.equal(await read(storage, 'some/object'), 'hello world');
});

test('signed addresses begin with the address at which clients reach the store', { skip }, async (t) => {
  const publicEndpoint = 'https://files.example.org';
  const { storage, settings } = await openStorage(t, { publicEndpoint });
  const inHost = await openStorage(t, { publicEndpoint, pathStyle: false });
  const request = { method: 'GET', lifetimeMs: 60_000, fileName: 'a' } as const;

  assert.ok(
    (await storage.signedUrl('a/b', request)).startsWith(`${publicEndpoint}/${settings.bucket}/site/a/b?`),
  );
  assert.ok(
    (await inHost.storage.signedUrl('a/b', request)).startsWith(
      `https://${inHost.settings.bucket}.files.example.org/site/a/b?`,
    ),
  );
});

test('a signed address expires', { skip }, async (t) => {
  const { storage } = await openStorage(t);
  await storage.put('a', bodyOf('hello'));

  const url = await storage.signedUrl('a', {
    method: 'GET',
    lifetimeMs: 1 - STORAGE_LIMITS.s3ClockSkewMs,
    fileName: 'a',
  });
  assert.match(url, /X-Amz-Expires=1&/);
  assert.equal((await fetch(url)).status, 403);
});

test('F1: a browser stores what a signed address of S3 gives, and runs nothing of it', {
  skip,
}, async (t) => {
  const { storage } = await openStorage(t);
  await storage.put('a', bodyOf('<script>alert(1)</script>'));
  for (const contentType of ['text/html', 'image/svg+xml', 'application/pdf']) {
    const url = await storage.signedUrl('a', {
      method: 'GET',
      lifetimeMs: 60_000,
      fileName: 'a.html',
      contentType,
    });
    const { headers } = await fetch(url);
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="a.html"; filename*=UTF-8''a.html`,
    );
  }
});

test('a wrong secret is rejected by the store, and no error names the credentials', { skip }, async (t) => {
  const secretAccessKey = 'wrong-secret-0123456789';
  const { storage, settings } = await openStorage(t, { secretAccessKey });

  const attempts = [
    storage.put('a', bodyOf('x')),
    storage.get('a'),
    storage.head('a'),
    storage.delete('a'),
    keysOf(storage, ''),
  ];
  for (const [index, result] of (await Promise.allSettled(attempts)).entries()) {
    assert.equal(result.status, 'rejected', `${index}`);
    assert.ok(failsAs('busy')(result.reason), String(result.reason));
    const shown = `${result.reason.stack} ${result.reason.cause.stack} ${JSON.stringify(result.reason.cause)}`;
    assert.match(shown, /403/);
    assert.doesNotMatch(shown, new RegExp(`${secretAccessKey}|${settings.accessKeyId}`));
  }
});

test('a store without its bucket responds with an error, and not as if it were empty', {
  skip,
}, async (t) => {
  const { storage } = await openStorage(t, { bucket: 'no-such-bucket' });
  await assert.rejects(storage.put('a', bodyOf('x')), failsAs('busy'));
  await assert.rejects(storage.get('a'), failsAs('busy'));
  await assert.rejects(keysOf(storage, ''), failsAs('busy'));
});
