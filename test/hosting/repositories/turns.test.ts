import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestCaller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { SharedRuns } from '../../../src/base/core/fairness/shared-runs.ts';
import { FairTurns } from '../../../src/hosting/repositories/refs/fair-turns.ts';

// Runs once: no outcome depends on the database.

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

function gates() {
  const opened: (() => void)[] = [];
  const pass = () => new Promise<void>((resolve) => opened.push(resolve));
  return { opened, pass };
}

function account(id: number): RequestCaller {
  const caller = new RequestCaller('10.0.0.1', () => new AbortController().signal);
  caller.identify(id);
  return caller;
}

test('work for one key runs one at a time, in turns of its callers, and other keys do not wait', async () => {
  const turns = new FairTurns({ what: 'changes', queueMax: 10, queuePerCallerMax: 10, waitMs: 60_000 });
  const { opened, pass } = gates();
  const order: string[] = [];
  const begin = (id: number, key: string, name: string) =>
    runFor(account(id), () =>
      turns.run(key, () => {
        order.push(name);
        return pass();
      }),
    );

  const all = [
    begin(1, 'main', 'a1'),
    begin(1, 'main', 'a2'),
    begin(1, 'main', 'a3'),
    begin(2, 'main', 'b1'),
  ];
  all.push(begin(1, 'other', 'o1'));
  for (let count = 0; count < all.length; count += 1) {
    await nextTick();
    opened.shift()?.();
  }
  await Promise.all(all);

  assert.deepEqual(order, ['a1', 'o1', 'a2', 'b1', 'a3']);
});

test('work is rejected when the queue of its key is full', async () => {
  const turns = new FairTurns({ what: 'changes', queueMax: 1, queuePerCallerMax: 1, waitMs: 60_000 });
  const { opened, pass } = gates();
  const [first, second] = [turns.run('main', pass), turns.run('main', pass)];

  await assert.rejects(turns.run('main', pass), /too many changes at once/);
  await turns.run('other', async () => {});

  await nextTick();
  opened.shift()?.();
  await first;
  await nextTick();
  opened.shift()?.();
  await second;
  await turns.run('main', async () => {});
});

test('calls during a run share the next one, also if the run fails', async () => {
  const { opened, pass } = gates();
  let runs = 0;
  const shared = new SharedRuns<number>(async () => {
    runs += 1;
    const isFirst = runs === 1;
    await pass();
    if (isFirst) throw new Error('the first run fails');
  });

  const first = assert.rejects(shared.run(1), /the first run fails/);
  const later = [shared.run(1), shared.run(1), shared.run(1)];
  const other = shared.run(2);
  await nextTick();
  assert.equal(runs, 2);
  for (const open of opened.splice(0)) open();
  await Promise.all([first, other]);
  await nextTick();
  assert.equal(runs, 3);
  for (const open of opened.splice(0)) open();
  await Promise.all(later);

  const again = shared.run(1);
  for (const open of opened.splice(0)) open();
  await again;
  assert.equal(runs, 4);
});
