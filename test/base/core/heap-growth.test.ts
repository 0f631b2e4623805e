import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CORE_LIMITS } from '../../../src/base/core/limits.ts';
import { HeapGrowth } from '../../../src/base/core/native/heap-growth.ts';

test('a process collects garbage earlier from one size on, until it has returned to a smaller one', () => {
  let bytes = 0;
  const growth = new HeapGrowth(() => bytes);
  const { heapBoundFromBytes: from, heapBoundToBytes: to } = CORE_LIMITS;
  const looks = [to, from, from + 1, from, to + 1, to, to + 1, from].map((size) => {
    bytes = size;
    return growth.look();
  });

  assert.deepEqual(looks, [false, false, true, true, true, false, false, false]);
});
