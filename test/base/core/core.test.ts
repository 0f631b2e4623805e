import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedLock } from '../../../src/base/core/fairness/keyed-lock.ts';
import { offsetOf, pagingOf } from '../../../src/base/core/paging.ts';
import { createSizedCache } from '../../../src/base/core/sized-cache.ts';
import { parseId } from '../../../src/base/core/text/ids.ts';
import { isPlainLine, isStorableText } from '../../../src/base/core/text/text.ts';
import { headerTime, wireTime } from '../../../src/http/time.ts';

// Runs once: no outcome depends on the database.

test('an id is a positive safe integer', () => {
  for (const [text, id] of [
    ['1', 1],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const)
    assert.equal(parseId(text), id);
  for (const text of [
    '',
    '0',
    '-1',
    '+1',
    '1.0',
    '1e3',
    ' 1',
    '0x1',
    '9007199254740992',
    '9'.repeat(30),
    '١',
  ])
    assert.equal(parseId(text), undefined, text);
});

test('paging has a default, a maximum and a safe offset', () => {
  assert.deepEqual(pagingOf({}), { page: 1, limit: 30 });
  assert.deepEqual(pagingOf({ page: 0, limit: 0 }), { page: 1, limit: 30 });
  assert.deepEqual(pagingOf({ page: -1, limit: -1 }), { page: 1, limit: 30 });
  assert.deepEqual(pagingOf({ page: 3, limit: 1000 }), { page: 3, limit: 50 });
  assert.equal(offsetOf({ page: 3, limit: 50 }), 100);
  assert.ok(Number.isSafeInteger(offsetOf({ page: Number.MAX_SAFE_INTEGER, limit: 50 })));
});

test('a sized cache drops the least recently used values and stores no large value', () => {
  const cache = createSizedCache<string, number>({ sizeMax: 8, sizeOf: (value) => value });
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 2);
  cache.get('a');
  cache.set('e', 2);
  cache.set('large', 3);

  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e', 'large'].map((key) => cache.has(key)),
    [true, false, true, true, true, false],
  );
});

test('a sized cache that allows it stores one value as large as the cache', () => {
  const cache = createSizedCache<string, number>({ sizeMax: 8, entrySizeMax: 8, sizeOf: (value) => value });
  cache.set('a', 2);
  cache.set('large', 8);
  cache.set('larger', 9);

  assert.deepEqual(
    ['a', 'large', 'larger'].map((key) => cache.has(key)),
    [false, true, false],
  );
});

test('a sized cache drops the old value of a key if the new one is too large', () => {
  const cache = createSizedCache<string, number>({ sizeMax: 8, sizeOf: (value) => value });
  cache.set('a', 2);
  cache.set('a', 3);

  assert.equal(cache.get('a'), undefined);
});

test('tasks with one key run in order, even after a failure; tasks with different keys run concurrently', async () => {
  const lock = new KeyedLock();
  const steps: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const work = (name: string, wait?: Promise<void>) => async () => {
    steps.push(`${name} begins`);
    await wait;
    steps.push(`${name} ends`);
    if (name === 'failing') throw new Error(name);
  };
  const all = [
    lock.run('k', work('failing', held)),
    lock.run('k', work('second')),
    lock.run('other', work('other')),
  ];
  await all[2];
  assert.deepEqual(steps, ['failing begins', 'other begins', 'other ends']);
  release();

  const results = await Promise.allSettled(all);

  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(steps.slice(3), ['failing ends', 'second begins', 'second ends']);
});

test('a plain line has no control characters and is well formed; storable text has no NUL', () => {
  for (const text of ['', 'a', 'é 日本 😀', 'a\tb'.replace('\t', ' ')])
    assert.ok(isPlainLine(text) && isStorableText(text));
  for (const text of ['a\nb', 'a\rb', '\0', '\u007f', '\u0085', '\u2028', '\ud800', 'x\udc00'])
    assert.equal(isPlainLine(text), false, JSON.stringify(text));
  assert.ok(isStorableText('two\nlines\t'));
  for (const text of ['\0', 'a\0b', '\ud800', 'x\udc00y']) assert.equal(isStorableText(text), false);
});

test('times are whole seconds in UTC, clamped to the years 1 to 9999', () => {
  assert.equal(wireTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999)), '2026-01-02T03:04:05Z');
  assert.equal(wireTime(0), '1970-01-01T00:00:00Z');
  assert.equal(headerTime(0), 'Thu, 01 Jan 1970 00:00:00 GMT');
  for (const ms of [Number.MAX_SAFE_INTEGER, 9e18, Number.POSITIVE_INFINITY]) {
    assert.equal(wireTime(ms), '9999-12-31T23:59:59Z');
    assert.equal(headerTime(ms), 'Fri, 31 Dec 9999 23:59:59 GMT');
  }
  assert.equal(wireTime(-9e18), '0001-01-01T00:00:00Z');
  for (let ms = Date.UTC(1890, 0); ms < Date.UTC(2110, 0); ms += 86_399_000 * 5 + 987)
    for (const at of [ms, ms + 86_400_000 - 1])
      assert.equal(wireTime(at), `${new Date(at).toISOString().slice(0, 19)}Z`);
});
