import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_LIMITS } from '../../../src/base/jobs/limits.ts';
import { defineJob } from '../../../src/base/jobs/model.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { until } from '../../support/until.ts';
import { enqueue, MAIL, openOne, openProcess, rowsOf } from './jobs-fixture.ts';

test('a job runs once, and its row is deleted', async (t) => {
  const process = await openOne(t);
  const sent: string[] = [];
  process.jobs.register(MAIL, async ({ to }) => {
    sent.push(to);
  });
  await enqueue(process, MAIL, { payload: { to: 'ada' } });
  await enqueue(process, MAIL, { payload: { to: 'bob' } });

  assert.equal(await process.jobs.runDue(), 2);
  assert.equal(await process.jobs.runDue(), 0);

  assert.deepEqual(sent, ['ada', 'bob']);
  assert.deepEqual(await rowsOf(process), []);
});

test('a job requested in a transaction that rolls back does not run', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, () => assert.fail('the job runs'));

  await assert.rejects(
    process.database.transaction(async (tx) => {
      await process.jobs.enqueue(tx, MAIL, { payload: { to: 'ada' } });
      throw new Error('no');
    }),
  );

  assert.equal(await process.jobs.runDue(), 0);
  assert.deepEqual(await process.jobs.count(), { waiting: 0, running: 0, failed: 0 });
});

test('a delayed job runs when its time comes', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, async () => {});
  await enqueue(process, MAIL, { payload: { to: 'ada' }, delayMs: 1_000 });

  process.clock.advance(999);
  assert.equal(await process.jobs.runDue(), 0);
  process.clock.advance(1);
  assert.equal(await process.jobs.runDue(), 1);
});

test('runDue can run delayed jobs ahead of time, for tests', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, async () => {});
  await enqueue(process, MAIL, { payload: { to: 'ada' }, delayMs: 1_000 });

  assert.equal(await process.jobs.runDue({ aheadMs: 1_000 }), 1);
});

test('requesting a waiting job again keeps one row, with the newer payload and the earlier time', async (t) => {
  const process = await openOne(t);
  const sent: string[] = [];
  process.jobs.register(MAIL, async ({ to }) => {
    sent.push(to);
  });
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'first' }, delayMs: 1_000 });
  process.clock.advance(900);
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'second' }, delayMs: 1_000 });
  await enqueue(process, MAIL, { key: 'other', payload: { to: 'third' }, delayMs: 1_000 });
  process.clock.advance(100);

  assert.equal(await process.jobs.runDue(), 1);
  assert.deepEqual(sent, ['second']);
});

test('a job requested again while it runs starts again afterwards, never concurrently', async (t) => {
  const location = await databaseLocation(t);
  const processes = [openProcess(t, location), openProcess(t, location)] as const;
  const [one, other] = processes;
  const mayEnd = Promise.withResolvers<void>();
  const runs: string[] = [];
  let runningCount = 0;
  let runningMax = 0;
  for (const { jobs } of processes) {
    jobs.register(MAIL, async ({ to }) => {
      runs.push(to);
      runningCount += 1;
      runningMax = Math.max(runningMax, runningCount);
      await mayEnd.promise;
      runningCount -= 1;
    });
  }
  await enqueue(one, MAIL, { key: 'k', payload: { to: 'first' } });
  const first = one.jobs.runDue();
  await until(() => runs.length === 1);

  await enqueue(one, MAIL, { key: 'k', payload: { to: 'second' } });
  assert.equal(await other.jobs.runDue(), 0, 'the other process does not run the job');
  mayEnd.resolve();
  await first;
  await other.jobs.runDue();

  assert.deepEqual(runs, ['first', 'second']);
  assert.equal(runningMax, 1);
  assert.deepEqual(await rowsOf(one), []);
});

test('several processes run each job once', async (t) => {
  const location = await databaseLocation(t);
  const processes = [openProcess(t, location), openProcess(t, location), openProcess(t, location)];
  const runs = new Map<string, number>();
  for (const { jobs } of processes) {
    jobs.register(MAIL, async ({ to }) => {
      runs.set(to, (runs.get(to) ?? 0) + 1);
    });
  }
  const [first] = processes;
  assert.ok(first !== undefined);
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
  await first.database.transaction(async (tx) => {
    for (const to of names) await first.jobs.enqueue(tx, MAIL, { payload: { to } });
  });

  const counts = await Promise.all(processes.map(({ jobs }) => jobs.runDue()));

  assert.deepEqual(new Set(runs.keys()), new Set(names));
  assert.deepEqual(new Set(runs.values()), new Set([1]));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    names.length,
  );
});

test('a process limits its concurrent jobs, in total and per kind', async (t) => {
  const process = await openOne(t);
  const slow = defineJob<Record<string, never>>('test.slow');
  const running = { 'test.mail': 0, 'test.slow': 0 };
  const mayEnd = Promise.withResolvers<void>();
  const occupy = (kind: keyof typeof running) => async () => {
    running[kind] += 1;
    await mayEnd.promise;
    running[kind] -= 1;
  };
  process.jobs.register(slow, occupy('test.slow'), { atOnceMax: 1 });
  process.jobs.register(MAIL, occupy('test.mail'));
  for (let count = 0; count < 8; count += 1) {
    await enqueue(process, slow, { payload: {} });
    await enqueue(process, MAIL, { payload: { to: 'ada' } });
  }

  const due = process.jobs.runDue();
  await until(() => running['test.mail'] + running['test.slow'] === JOB_LIMITS.jobsAtOnceMax);
  assert.deepEqual(running, { 'test.mail': JOB_LIMITS.jobsAtOnceMax - 1, 'test.slow': 1 });
  assert.deepEqual(await process.jobs.count(), {
    waiting: 16 - JOB_LIMITS.jobsAtOnceMax,
    running: JOB_LIMITS.jobsAtOnceMax,
    failed: 0,
  });
  mayEnd.resolve();

  assert.equal(await due, 16);
});

test('jobs that wait for other servers run besides those that share the slots', async (t) => {
  const process = await openOne(t);
  const apart = defineJob<Record<string, never>>('test.apart');
  const running = { 'test.mail': 0, 'test.apart': 0 };
  const mayEnd = Promise.withResolvers<void>();
  const occupy = (kind: keyof typeof running) => async () => {
    running[kind] += 1;
    await mayEnd.promise;
  };
  process.jobs.register(apart, occupy('test.apart'), { atOnceMax: 3, hasOwnSlots: true });
  process.jobs.register(MAIL, occupy('test.mail'));
  for (let count = 0; count < 8; count += 1) {
    await enqueue(process, apart, { payload: {} });
    await enqueue(process, MAIL, { payload: { to: 'ada' } });
  }

  const due = process.jobs.runDue();
  await until(() => running['test.mail'] + running['test.apart'] === JOB_LIMITS.jobsAtOnceMax + 3);
  assert.deepEqual(running, { 'test.mail': JOB_LIMITS.jobsAtOnceMax, 'test.apart': 3 });
  mayEnd.resolve();

  assert.equal(await due, 16);
});

test('a run that has had its time gives way to work of its kind that waits, and only one run at a time', async (t) => {
  const process = await openOne(t);
  const kind = defineJob<{ name: string }>('test.slow');
  const began: string[] = [];
  const gaveWay: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const options = { atOnceMax: 2, patienceMs: 10_000 };
  process.jobs.register(
    kind,
    async ({ name }, { giveWay }) => {
      began.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      giveWay.addEventListener('abort', () => {
        gaveWay.push(name);
        resolve();
      });
      await Promise.race([promise, mayEnd.promise]);
    },
    options,
  );
  for (const name of ['a', 'b']) await enqueue(process, kind, { payload: { name } });
  const due = process.jobs.runDue();
  await until(() => began.length === 2);
  await enqueue(process, kind, { payload: { name: 'c' } });
  process.clock.advance(9_999);
  assert.deepEqual(gaveWay, []);
  process.clock.advance(1);
  await until(() => gaveWay.length > 0);
  mayEnd.resolve();
  assert.equal(await due, 3);
  assert.equal(gaveWay.length, 1);
  assert.deepEqual(began, ['a', 'b', 'c']);
});

test('a process leaves jobs of an unknown kind for a process that handles them', async (t) => {
  const location = await databaseLocation(t);
  const [older, newer] = [openProcess(t, location), openProcess(t, location)];
  newer.jobs.register(MAIL, async () => {});
  older.jobs.register(defineJob('test.other'), async () => {});
  await enqueue(newer, MAIL, { payload: { to: 'ada' } });

  assert.equal(await older.jobs.runDue(), 0);
  assert.equal(await newer.jobs.runDue(), 1);
});

test('a started process runs requested jobs until it is stopped', async (t) => {
  const process = await openOne(t);
  const sent: string[] = [];
  process.jobs.register(MAIL, async ({ to }) => {
    sent.push(to);
  });
  process.jobs.start();
  await enqueue(process, MAIL, { payload: { to: 'ada' } });
  await until(() => sent.length === 1);

  await process.jobs.stop();
  await enqueue(process, MAIL, { payload: { to: 'bob' } });

  assert.deepEqual(await process.jobs.count(), { waiting: 1, running: 0, failed: 0 });
  assert.deepEqual(sent, ['ada']);
});

test('a started process runs a delayed job when its time comes', async (t) => {
  const process = await openOne(t);
  const sent: string[] = [];
  process.jobs.register(MAIL, async ({ to }) => {
    sent.push(to);
  });
  await enqueue(process, MAIL, { payload: { to: 'ada' }, delayMs: 60_000 });
  process.jobs.start();
  await until(async () => {
    process.clock.advance(1_000);
    return sent.length === 1;
  });

  await process.jobs.stop();
  assert.deepEqual(await rowsOf(process), []);
});
