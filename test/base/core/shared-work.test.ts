import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentCaller, RequestCaller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { SharedWork } from '../../../src/base/core/fairness/shared-work.ts';

// Runs once: no outcome depends on the database.

/** Work that ends when the test says so, and its callers, who can leave. */
function setUp() {
  const shared = new SharedWork<string>();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const starts: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    assert.equal(currentCaller().isServer, true);
    starts.push(signal);
    return promise;
  };
  const call = (key: string) => {
    const left = new AbortController();
    const caller = new RequestCaller('10.0.0.1', () => left.signal);
    return {
      result: runFor(caller, () => shared.run(key, work)),
      leave: () => left.abort(new Error('left')),
    };
  };
  return { shared, starts, call, resolve, reject };
}

test('equal work runs once for all its callers, and again for later ones', async () => {
  const { starts, call, resolve } = setUp();
  const calls = [call('a'), call('a'), call('b')];
  resolve('done');
  assert.deepEqual(await Promise.all(calls.map(({ result }) => result)), ['done', 'done', 'done']);
  assert.equal(starts.length, 2);
  await call('a').result;
  assert.equal(starts.length, 3);
});

test('shared work goes on while one caller is left, and ends with the last one', async () => {
  const { shared, starts, call } = setUp();
  const [first, second] = [call('a'), call('a')];
  first.leave();
  await assert.rejects(first.result, /left/);
  assert.deepEqual([starts[0]?.aborted, shared.size], [false, 1]);
  second.leave();
  await assert.rejects(second.result, /left/);
  assert.deepEqual([starts[0]?.aborted, shared.size], [true, 0]);
});

test('a failure of shared work reaches every caller', async () => {
  const { shared, call, reject } = setUp();
  const calls = [call('a'), call('a')];
  reject(new Error('broken'));
  for (const { result } of calls) await assert.rejects(result, /broken/);
  assert.equal(shared.size, 0);
});
