import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../src/base/core/failure.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import { S3_PATIENCE, type S3Patience } from '../../src/storage/s3/client.ts';
import { S3Storage } from '../../src/storage/s3/storage.ts';
import { afterTest } from '../support/after-test.ts';
import { FaultyProxy } from '../support/http/faulty-proxy.ts';
import { bucketAt, s3Bucket, whyNoS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { bodyOf, failsAs, keysOf, read } from './objects.ts';

// Runs once: no outcome depends on the database.
// Runs on a disk, as a server does.

const skip = whyNoS3;
const PART = STORAGE_LIMITS.s3PartBytes;
/** How long a call waits for a store that does nothing. No call has to succeed in this time. */
const SHORT_MS = 300;
/** The same, where calls have to succeed in this time, even on a busy machine. */
const ENOUGH_MS = 2_000;

async function stage(t: TestContext, patience: Partial<S3Patience> = {}) {
  const { settings } = await s3Bucket();
  const proxy = new FaultyProxy(settings.endpoint);
  const behind = bucketAt(await proxy.listen(t), settings.bucket).settings;
  const storage = new S3Storage(behind, { ...S3_PATIENCE, ...patience });
  const direct = new S3Storage(settings);
  afterTest(t, () => Promise.all([storage.close(), direct.close()]));
  return { storage, direct, proxy };
}

function answersWithin(ms: number): Partial<S3Patience> {
  return { answerMs: ms, writeMs: ms };
}

function isBusy(error: unknown): boolean {
  assert.ok(error instanceof ForgeError, String(error));
  assert.equal(error.failure.kind, 'busy');
  assert.ok('retryAfterSeconds' in error.failure && error.failure.retryAfterSeconds > 0);
  return true;
}

for (const fate of ['hang', 'reset', 500, 503] as const) {
  test(`every call fails with "busy" while the store does this: ${fate}`, { skip }, async (t) => {
    const { storage, proxy } = await stage(t, fate === 'hang' ? answersWithin(SHORT_MS) : {});
    proxy.fate = () => fate;

    await Promise.all([
      assert.rejects(storage.put('a', bodyOf('x')), isBusy),
      assert.rejects(storage.put('a', bodyOf(Buffer.alloc(PART + 1))), isBusy),
      assert.rejects(storage.get('a'), isBusy),
      assert.rejects(storage.head('a'), isBusy),
      assert.rejects(storage.delete('a'), isBusy),
      assert.rejects(keysOf(storage, ''), isBusy),
      assert.rejects(storage.removeAbandoned(0), isBusy),
    ]);
    assert.ok(proxy.count <= 8 * STORAGE_LIMITS.s3AttemptsMax, `${proxy.count} requests`);
  });

  test(`a call succeeds in the second attempt, after a store that does this once: ${fate}`, {
    skip,
  }, async (t) => {
    const { storage, proxy } = await stage(t, fate === 'hang' ? answersWithin(ENOUGH_MS) : {});
    const failOnce = () => {
      proxy.count = 0;
      proxy.fate = (_, count) => (count === 1 ? fate : 'pass');
    };

    failOnce();
    assert.equal(await storage.put('a', bodyOf('hello')), 'stored');
    failOnce();
    assert.equal(await read(storage, 'a'), 'hello');
    failOnce();
    assert.equal((await storage.head('a'))?.sizeBytes, 5);
    failOnce();
    assert.deepEqual(await keysOf(storage, ''), ['a']);
    failOnce();
    await storage.delete('a');
    assert.equal(await storage.head('a'), undefined);
  });
}

for (const fate of [{ cutAfter: 100_000 }, { silentAfter: 100_000 }] as const) {
  test(`a body that breaks off is an error, and never a short object: ${JSON.stringify(fate)}`, {
    skip,
  }, async (t) => {
    const { storage, direct, proxy } = await stage(t, 'silentAfter' in fate ? { silenceMs: SHORT_MS } : {});
    await direct.put('a', bodyOf(Buffer.alloc(500_000)));
    proxy.fate = () => fate;

    const whole = await storage.get('a');
    await assert.rejects(buffer(whole.body), isBusy);
    const part = await storage.get('a', { start: 10, end: 400_000 });
    await assert.rejects(buffer(part.body), isBusy);
  });
}

test('a reader may pause for longer than the store may be silent', { skip }, async (t) => {
  const { storage, direct } = await stage(t, { silenceMs: ENOUGH_MS });
  const content = Buffer.alloc(3_000_000, 'x');
  await direct.put('a', bodyOf(content));
  const { body } = await storage.get('a');
  const iterator = body[Symbol.asyncIterator]();
  const first = (await iterator.next()).value;
  const from = performance.now();

  await until(() => performance.now() - from > 1.5 * ENOUGH_MS);

  let sizeBytes = first.length;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
    sizeBytes += next.value.length;
  assert.equal(sizeBytes, content.length);
});

test('a read that is given up closes its connection', { skip }, async (t) => {
  const { storage, direct, proxy } = await stage(t);
  await direct.put('a', bodyOf(Buffer.alloc(20_000_000)));
  const { body } = await storage.get('a');
  await once(body, 'readable');
  assert.equal(proxy.sockets.size, 1);

  body.destroy();

  await until(() => proxy.sockets.size === 0);
});

test('a store that fails in the middle of an upload leaves no object, and no parts once it works again', {
  skip,
}, async (t) => {
  const { storage, direct, proxy } = await stage(t);
  const content = Buffer.alloc(2 * PART + 1);
  const isPart = ({ url = '' }: IncomingMessage, number: number) => url.includes(`partNumber=${number}`);
  proxy.fate = (incoming) => (isPart(incoming, 2) ? 500 : 'pass');

  await assert.rejects(storage.put('a', bodyOf(content)), isBusy);

  assert.deepEqual(await keysOf(direct, ''), []);
  proxy.count = 0;
  await direct.removeAbandoned(-60_000);
  proxy.fate = (incoming, count) => (count === 3 && isPart(incoming, 2) ? 'reset' : 'pass');
  assert.equal(await storage.put('a', bodyOf(content), { sizeBytes: content.length }), 'stored');
  assert.equal((await direct.head('a'))?.sizeBytes, content.length);
});

test('an upload ends at once if the store fails, while its body is still arriving', { skip }, async (t) => {
  const { storage, proxy } = await stage(t);
  proxy.fate = ({ url = '' }) => (url.includes('partNumber=1') ? 500 : 'pass');
  const { promise: never } = Promise.withResolvers<void>();
  const body = async function* () {
    yield Buffer.alloc(PART + 1);
    await never;
  };

  await assert.rejects(storage.put('a', body()), isBusy);
});

test('an answer that is lost after the object was stored does not store it twice', { skip }, async (t) => {
  const { storage, direct, proxy } = await stage(t, answersWithin(ENOUGH_MS));
  // This answer has no body to cut, so the store falls silent.
  proxy.fate = (incoming, count) => (incoming.method === 'PUT' && count === 1 ? { cutAfter: -1 } : 'pass');

  const outcome = await storage.put('a', bodyOf('hello'), { ifAbsent: true });

  assert.ok(outcome === 'stored' || outcome === 'already there');
  assert.equal(await read(direct, 'a'), 'hello');
});

test('an answer that is lost after the parts were joined does not fail the upload', { skip }, async (t) => {
  const { storage, direct, proxy } = await stage(t);
  const content = Buffer.alloc(PART + 1, 'x');
  let isLost = false;
  proxy.fate = ({ method, url = '' }) => {
    if (isLost || method !== 'POST' || !url.includes('uploadId=')) return 'pass';
    isLost = true;
    return { cutAfter: -1 };
  };

  assert.equal(await storage.put('a', bodyOf(content)), 'stored');

  assert.ok(isLost);
  assert.equal((await direct.head('a'))?.sizeBytes, content.length);
});

test('uploads wait until there is memory for them', { skip }, async (t) => {
  const { direct } = await stage(t);
  const { promise: gate, resolve: go } = Promise.withResolvers<void>();
  let begun = 0;
  const body = async function* () {
    begun += 1;
    await gate;
    yield Buffer.alloc(1);
  };
  const puts = Array.from({ length: 60 }, (_, index) => direct.put(`a/${index}`, body()));
  const fit = Math.floor(STORAGE_LIMITS.s3UploadBytesInMemoryMax / (2 * PART));
  await until(() => begun === fit);

  go();

  assert.deepEqual(new Set(await Promise.all(puts)), new Set(['stored']));
  assert.equal(begun, 60);
});

test('a list that breaks off is an error, and never a short list', { skip }, async (t) => {
  const { storage, direct, proxy } = await stage(t);
  for (const key of ['a', 'b', 'c']) await direct.put(key, bodyOf(key));
  proxy.fate = () => ({ cutAfter: 200 });

  await assert.rejects(keysOf(storage, ''), failsAs('busy'));
});
