import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { ObjectStorage } from '../../src/storage/model.ts';
import { bodyOf, failsAs, keysOf, read } from './objects.ts';

export interface OpenStorage {
  readonly storage: ObjectStorage;
  /** Names incomplete objects. */
  leftovers(): Promise<readonly string[]>;
}

/** Tests what every object store does. Each test has an empty store of its own. */
export function testStorage(
  kind: string,
  open: (t: TestContext) => Promise<OpenStorage>,
  options: { skip: string | false } = { skip: false },
): void {
  test(`${kind}: a stored object can be read, whole and in parts`, options, async (t) => {
    const { storage } = await open(t);

    const outcome = await storage.put('lfs/ab/object', bodyOf('hello ', 'wor', 'ld'));
    const head = await storage.head('lfs/ab/object');

    assert.equal(outcome, 'stored');
    assert.equal(head?.sizeBytes, 11);
    assert.ok(Math.abs((head?.modifiedAt ?? 0) - Date.now()) < 60_000);
    assert.equal(await read(storage, 'lfs/ab/object'), 'hello world');
    assert.equal(await read(storage, 'lfs/ab/object', { start: 6 }), 'world');
    assert.equal(await read(storage, 'lfs/ab/object', { start: 2, end: 4 }), 'llo');
    assert.equal(await read(storage, 'lfs/ab/object', { start: 10, end: 1000 }), 'd');
    await assert.rejects(storage.get('lfs/ab/object', { start: 11 }), failsAs('invalid'));
  });

  test(`${kind}: an object may be empty`, options, async (t) => {
    const { storage } = await open(t);

    await storage.put('empty', bodyOf(), { sizeBytes: 0 });

    assert.equal((await storage.head('empty'))?.sizeBytes, 0);
    assert.equal(await read(storage, 'empty'), '');
  });

  test(`${kind}: a missing object and a deleted one are not found`, options, async (t) => {
    const { storage } = await open(t);
    await storage.put('a/b', bodyOf('x'));

    for (const key of ['nothing', 'a', 'a/c', 'a/b/c']) {
      await assert.rejects(storage.get(key), failsAs('not_found'), key);
      assert.equal(await storage.head(key), undefined);
    }
    await storage.delete('a/b');
    await storage.delete('a/b');
    assert.equal(await storage.head('a/b'), undefined);
  });

  test(
    `${kind}: a body that differs from its announced size or hash leaves no object`,
    options,
    async (t) => {
      const { storage, leftovers } = await open(t);
      const sha256 = createHash('sha256').update('hello').digest('hex');
      const broken = async function* () {
        yield Buffer.from('hel');
        throw new Error('the client disconnected');
      };

      await assert.rejects(storage.put('a', bodyOf('hello'), { sizeBytes: 6 }), failsAs('invalid'));
      await assert.rejects(storage.put('a', bodyOf('hello'), { sizeBytes: 4 }), failsAs('invalid'));
      await assert.rejects(storage.put('a', bodyOf('Hello'), { sha256 }), failsAs('invalid'));
      await assert.rejects(storage.put('a', bodyOf('hello'), { bytesMax: 4 }), failsAs('too_large'));
      await assert.rejects(storage.put('a', broken()), /disconnected/);

      assert.equal(await storage.head('a'), undefined);
      assert.deepEqual(await leftovers(), []);
      assert.equal(await storage.put('a', bodyOf('hello'), { sha256, sizeBytes: 5, bytesMax: 5 }), 'stored');
    },
  );

  test(`${kind}: a rejected body keeps the existing object`, options, async (t) => {
    const { storage } = await open(t);
    await storage.put('a', bodyOf('first'));

    await assert.rejects(storage.put('a', bodyOf('second'), { sizeBytes: 1 }), failsAs('invalid'));
    assert.equal(await read(storage, 'a'), 'first');
    await storage.put('a', bodyOf('third'));
    assert.equal(await read(storage, 'a'), 'third');
  });

  test(`${kind}: of many concurrent create-only writes, one succeeds`, options, async (t) => {
    const { storage } = await open(t);
    const bodies = Array.from({ length: 8 }, (_, i) => `body ${i}`);

    const outcomes = await Promise.all(
      bodies.map((body) => storage.put('a/b/c', bodyOf(body), { ifAbsent: true })),
    );

    assert.deepEqual(outcomes.toSorted(), [...Array(7).fill('already there'), 'stored']);
    assert.equal(await read(storage, 'a/b/c'), bodies[outcomes.indexOf('stored')]);
  });

  test(`${kind}: a reader reads the version that it started with to the end`, options, async (t) => {
    const { storage } = await open(t);
    const first = randomBytes(300_000);
    await storage.put('a', bodyOf(first));
    const reading = await storage.get('a');

    await storage.put('a', bodyOf('second'));
    await storage.delete('a');

    assert.deepEqual(await buffer(reading.body), first);
  });

  test(`${kind}: keys are listed in byte order, by prefix and from any start`, options, async (t) => {
    const { storage } = await open(t);
    const keys = ['a-b', 'a.b', 'a/b', 'a/b-c', 'a/c/d', 'a0', 'ab/c', 'b'];
    for (const key of keys.toReversed()) await storage.put(key, bodyOf(key));

    assert.deepEqual(await keysOf(storage, ''), keys);
    assert.deepEqual(await keysOf(storage, 'a/'), ['a/b', 'a/b-c', 'a/c/d']);
    assert.deepEqual(await keysOf(storage, 'a/b'), ['a/b', 'a/b-c']);
    assert.deepEqual(await keysOf(storage, 'ab'), ['ab/c']);
    assert.deepEqual(await keysOf(storage, 'c'), []);
    for (const [position, key] of keys.entries()) {
      assert.deepEqual(await keysOf(storage, '', key), keys.slice(position + 1), key);
    }
  });

  test(`${kind}: C1: only a plain key names an object`, options, async (t) => {
    const { storage, leftovers } = await open(t);
    const bad = [
      ...[
        '',
        '/',
        'a/',
        '/a',
        'a//b',
        '.',
        '..',
        'a/..',
        '../outside',
        'a/../b',
        '.incoming/x',
        'a/.b',
        'a\\b',
      ],
      ...['A', 'a\0', 'a b', 'ä', 'a\n', '%2e', 'x'.repeat(201), 'x/'.repeat(300), '-a', '~'],
    ];
    for (const key of bad) {
      await assert.rejects(storage.put(key, bodyOf('x')), /invalid object key/, key);
      await assert.rejects(storage.get(key), /invalid object key/, key);
      await assert.rejects(storage.head(key), /invalid object key/, key);
      await assert.rejects(storage.delete(key), /invalid object key/, key);
    }
    assert.deepEqual([...(await keysOf(storage, '')), ...(await leftovers())], []);
  });

  test(`${kind}: memory does not grow with the size of stored objects`, options, async (t) => {
    const { storage } = await open(t);
    const chunk = Buffer.alloc(1024 * 1024, 7);
    const chunks = 256;
    async function* large() {
      for (let i = 0; i < chunks; i += 1) yield chunk;
    }
    // What the first use loads does not count.
    await storage.put('small', bodyOf(chunk));
    await read(storage, 'small');
    const before = process.memoryUsage().rss;

    await storage.put('large', large(), { sizeBytes: chunks * chunk.length });
    let sizeBytes = 0;
    for await (const part of (await storage.get('large')).body) sizeBytes += part.length;

    assert.equal(sizeBytes, chunks * chunk.length);
    const grownMib = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grownMib < 192, `${Math.round(grownMib)} MiB`);
  });
}
