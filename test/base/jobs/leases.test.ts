import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_LIMITS } from '../../../src/base/jobs/limits.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { until } from '../../support/until.ts';
import { enqueue, MAIL, openOne, openProcess, type Process, rowsOf } from './jobs-fixture.ts';

/** Makes a process run the job until the test ends it. */
async function occupy(
  process: Process,
): Promise<{ end: PromiseWithResolvers<void>; done: Promise<unknown>; signal: AbortSignal }> {
  const end = Promise.withResolvers<void>();
  const started = Promise.withResolvers<AbortSignal>();
  process.jobs.register(MAIL, async (_mail, { signal }) => {
    started.resolve(signal);
    await end.promise;
  });
  const done = process.jobs.runDue();
  return { end, done, signal: await started.promise };
}

async function leasedUntil({ database }: Process): Promise<number | null> {
  const row = await database.reader.selectFrom('jobs').select('leased_until').executeTakeFirst();
  return row?.leased_until ?? null;
}

test('the lease of a dead process expires, and another process takes over', async (t) => {
  const location = await databaseLocation(t);
  // The clock of the dead process does not advance, so it does not renew its lease.
  const [dead, alive] = [openProcess(t, location), openProcess(t, location)];
  await enqueue(dead, MAIL, { payload: { to: 'ada' } });
  const { end, done } = await occupy(dead);
  const attempts: number[] = [];
  alive.jobs.register(MAIL, async (_mail, { attempt }) => {
    attempts.push(attempt);
  });

  alive.clock.advance(JOB_LIMITS.jobLeaseMs - 1);
  assert.equal(await alive.jobs.runDue(), 0);
  alive.clock.advance(1);
  assert.equal(await alive.jobs.runDue(), 1);

  assert.deepEqual(attempts, [2]);
  end.resolve();
  await done;
});

test('a process whose lease expired does not affect the process that took over', async (t) => {
  const location = await databaseLocation(t);
  const [late, other] = [openProcess(t, location), openProcess(t, location)];
  await enqueue(late, MAIL, { payload: { to: 'ada' } });
  const first = await occupy(late);
  other.clock.advance(JOB_LIMITS.jobLeaseMs);
  const second = await occupy(other);
  const [leased] = await rowsOf(other);

  first.end.reject(new Error('the late process failed'));
  await first.done;
  assert.deepEqual(await rowsOf(other), [leased]);

  second.end.resolve();
  await second.done;
  assert.deepEqual(await rowsOf(other), []);
});

test('a long job keeps its lease', async (t) => {
  const location = await databaseLocation(t);
  const [long, other] = [openProcess(t, location), openProcess(t, location)];
  await enqueue(long, MAIL, { payload: { to: 'ada' } });
  const { end, done, signal } = await occupy(long);
  other.jobs.register(MAIL, () => assert.fail('the other process runs the job'));

  for (let passed = 0; passed < 3 * JOB_LIMITS.jobLeaseMs; passed += JOB_LIMITS.jobLeaseMs / 2) {
    // After each extension, the process waits for the next one.
    await until(() => long.clock.waiting > 0);
    long.clock.advance(JOB_LIMITS.jobLeaseMs / 2);
    other.clock.advance(JOB_LIMITS.jobLeaseMs / 2);
    await until(async () => (await leasedUntil(long)) === long.clock.now() + JOB_LIMITS.jobLeaseMs);
    assert.equal(await other.jobs.runDue(), 0);
  }

  assert.equal(signal.aborted, false);
  end.resolve();
  await done;
  assert.deepEqual(await rowsOf(long), []);
});

test('the signal of a job aborts when its lease expires', async (t) => {
  const location = await databaseLocation(t);
  const [slow, other] = [openProcess(t, location), openProcess(t, location)];
  await enqueue(slow, MAIL, { payload: { to: 'ada' } });
  const { end, done, signal } = await occupy(slow);
  other.jobs.register(MAIL, async () => {});
  other.clock.advance(JOB_LIMITS.jobLeaseMs);
  await other.jobs.runDue();

  slow.clock.advance(JOB_LIMITS.jobLeaseMs);
  await until(() => signal.aborted);

  assert.match(String(signal.reason), /lease expired/);
  end.resolve();
  await done;
});

test('a job that ends its process at each attempt is given up', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, () => assert.fail('the job runs once more'));
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });
  // The row that remains after as many processes took the job and died.
  await process.database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({
        attempts: JOB_LIMITS.jobAttemptsMax,
        leased_by: 'dead',
        leased_until: process.clock.now(),
        leased_revision: 1,
      })
      .execute(),
  );

  assert.equal(await process.jobs.runDue(), 1);

  const [failed] = await process.jobs.listFailed();
  assert.match(failed?.lastError ?? '', /the process ended during each attempt/);
});

test('a stopping process waits for its running job', async (t) => {
  const process = await openOne(t);
  await enqueue(process, MAIL, { payload: { to: 'ada' } });
  const { end, done, signal } = await occupy(process);
  let isStopped = false;
  const stopping = process.jobs.stop().then(() => {
    isStopped = true;
  });
  await until(() => signal.aborted);
  assert.equal(isStopped, false);

  end.resolve();
  await Promise.all([stopping, done]);

  assert.deepEqual(await rowsOf(process), []);
});

test('a job that ends early because its process stops is released and uses no attempt', async (t) => {
  const location = await databaseLocation(t);
  const [stopping, next] = [openProcess(t, location), openProcess(t, location)];
  await enqueue(stopping, MAIL, { payload: { to: 'ada' } });
  const { end, done, signal } = await occupy(stopping);
  signal.addEventListener('abort', () => end.reject(new Error('stopped midway')));

  await Promise.all([stopping.jobs.stop(), done]);

  const attempts: number[] = [];
  next.jobs.register(MAIL, async (_mail, { attempt }) => {
    attempts.push(attempt);
  });
  assert.equal(await next.jobs.runDue(), 1);
  assert.deepEqual(attempts, [1]);
});

test('a stopping process waits only for a limited time', async (t) => {
  const process = await openOne(t);
  await enqueue(process, MAIL, { payload: { to: 'ada' } });
  const { end, done, signal } = await occupy(process);
  const stopping = process.jobs.stop();
  await until(() => signal.aborted);

  // The wait begins a little after the signal, so the clock advances repeatedly until the wait ends.
  let isStopped = false;
  const stopped = stopping.then(() => {
    isStopped = true;
  });
  await until(() => {
    process.clock.advance(JOB_LIMITS.jobStopWaitMs);
    return isStopped;
  });

  assert.notEqual((await rowsOf(process))[0]?.leased_by, null);
  end.resolve();
  await Promise.all([stopped, done]);
});
