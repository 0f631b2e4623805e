import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Thread } from '../../../src/base/core/threads/thread.ts';
import { afterTest } from '../../support/after-test.ts';

// Runs once: no outcome depends on the database.

const IDLE_MS = 1_000;

function countingThread(t: TestContext): Thread<object, number> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const thread = new Thread<object, number>({
    what: 'numbers',
    module: new URL('./counting-worker.ts', import.meta.url),
    deadlineMs: 100 * IDLE_MS,
    memoryMib: 64,
    idleMs: IDLE_MS,
    queue: { queueMax: 10, queuePerCallerMax: 10, waitMs: 100 * IDLE_MS },
  });
  afterTest(t, () => thread.close());
  return thread;
}

test('a thread ends when it is idle, and with it all that it remembers', async (t) => {
  const thread = countingThread(t);
  assert.equal(await thread.run({}), 1);
  assert.equal(await thread.run({}), 2);
  t.mock.timers.tick(IDLE_MS);
  assert.equal(await thread.run({}), 1);
});

test('a thread that is held does not end while it is idle, until it is released', async (t) => {
  const thread = countingThread(t);
  assert.equal(await thread.run({}), 1);
  const release = thread.hold();
  t.mock.timers.tick(10 * IDLE_MS);
  assert.equal(await thread.run({}), 2);
  t.mock.timers.tick(10 * IDLE_MS);
  const releaseSecond = thread.hold();
  release();
  t.mock.timers.tick(10 * IDLE_MS);
  assert.equal(await thread.run({}), 3);
  releaseSecond();
  t.mock.timers.tick(IDLE_MS);
  assert.equal(await thread.run({}), 1);
});

test('a thread is given work that needs no answer only while it runs', async (t) => {
  const thread = countingThread(t);
  thread.tell({});
  assert.equal(await thread.run({}), 1);
  thread.tell({});
  assert.equal(await thread.run({}), 3);
});
