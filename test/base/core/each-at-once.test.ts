import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { eachAtOnce } from '../../../src/base/core/fairness/each-at-once.ts';

// Runs once: no outcome depends on the database.

/** Work that counts how much of it has started and runs. `fails` names items whose work fails. */
function setUp({ fails = [] }: { fails?: readonly number[] } = {}) {
  const counts = { started: 0, running: 0, runningMax: 0 };
  const work = async (item: number) => {
    counts.started += 1;
    counts.running += 1;
    counts.runningMax = Math.max(counts.runningMax, counts.running);
    for (let turns = 0; turns < item; turns += 1) await turn();
    counts.running -= 1;
    if (fails.includes(item)) throw new Error(`item ${item}`);
  };
  return { counts, work };
}

async function* arriving(items: readonly number[], end?: Error) {
  for (const item of items) {
    await turn();
    yield item;
  }
  if (end !== undefined) throw end;
}

test('work runs for each item, and for so many at a time', async () => {
  for (const items of [[5, 1, 4, 2, 3, 1], arriving([5, 1, 4, 2, 3, 1])]) {
    const { counts, work } = setUp();
    await eachAtOnce(items, 3, work);
    assert.deepEqual(counts, { started: 6, running: 0, runningMax: 3 });
  }
});

test('after a failure no work starts, and the work that runs ends first', async () => {
  const { counts, work } = setUp({ fails: [1, 9] });
  await assert.rejects(eachAtOnce([9, 1, 8, 7, 6], 2, work), /item 1/);
  assert.deepEqual(counts, { started: 2, running: 0, runningMax: 2 });
});

test('the work that runs ends before the failure of a list is reported', async () => {
  const { counts, work } = setUp();
  await assert.rejects(eachAtOnce(arriving([9, 8], new Error('the list ends early')), 5, work), /ends early/);
  assert.deepEqual(counts, { started: 2, running: 0, runningMax: 2 });
});
