import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_LIMITS } from '../../../src/base/jobs/limits.ts';
import { retryDelayMs } from '../../../src/base/jobs/row-after-run.ts';
import { enqueue, MAIL, openOne, type Process, rowsOf } from './jobs-fixture.ts';

/** Runs the due job and advances to its next attempt, until none remains. @returns the delays */
async function runAttempts(process: Process, attemptsMax: number): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    assert.equal(await process.jobs.runDue(), 1);
    const [row] = await rowsOf(process);
    if (row === undefined || row.run_at === null) return delays;
    const delay = row.run_at - process.clock.now();
    delays.push(delay);
    process.clock.advance(delay);
  }
  return delays;
}

test('each retry waits twice as long as the previous one, up to a maximum', () => {
  const delays = [1, 2, 3, 4, 9, 10, 60].map(retryDelayMs);
  const min = JOB_LIMITS.jobRetryMsMin;
  assert.deepEqual(delays, [
    min,
    2 * min,
    4 * min,
    8 * min,
    256 * min,
    JOB_LIMITS.jobRetryMsMax,
    JOB_LIMITS.jobRetryMsMax,
  ]);
});

test('a failed job is retried later, and its row shows the last error until then', async (t) => {
  const process = await openOne(t);
  const attempts: number[] = [];
  process.jobs.register(MAIL, async (_mail, { attempt }) => {
    attempts.push(attempt);
    if (attempt < 3) throw new Error(`no answer ${attempt}\0`);
  });
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });

  assert.equal(await process.jobs.runDue(), 1);
  assert.deepEqual(await rowsOf(process), [
    {
      kind: 'test.mail',
      key: 'k',
      attempts: 1,
      run_at: process.clock.now() + JOB_LIMITS.jobRetryMsMin,
      last_error: 'no answer 1',
      leased_by: null,
    },
  ]);
  process.clock.advance(JOB_LIMITS.jobRetryMsMin - 1);
  assert.equal(await process.jobs.runDue(), 0);
  process.clock.advance(1);
  assert.deepEqual(await runAttempts(process, 5), [2 * JOB_LIMITS.jobRetryMsMin]);

  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(await rowsOf(process), []);
});

test('a job that always fails is given up and stays in the list of failed jobs', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, async () => {
    throw new Error('no such host');
  });
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });

  const delays = await runAttempts(process, JOB_LIMITS.jobAttemptsMax);

  assert.equal(delays.length, JOB_LIMITS.jobAttemptsMax - 1);
  process.clock.advance(JOB_LIMITS.jobRetryMsMax * 100);
  assert.equal(await process.jobs.runDue(), 0);
  const [failed, ...rest] = await process.jobs.listFailed();
  assert.deepEqual(rest, []);
  const { id: _, failedAt: __, ...shown } = failed ?? { id: 0, failedAt: 0 };
  assert.deepEqual(shown, {
    kind: 'test.mail',
    key: 'k',
    attempts: JOB_LIMITS.jobAttemptsMax,
    lastError: 'no such host',
  });
  assert.deepEqual(await process.jobs.count(), { waiting: 0, running: 0, failed: 1 });
});

test('a job that was given up runs again when it is requested again or an operator retries it', async (t) => {
  const process = await openOne(t);
  let isBroken = true;
  process.jobs.register(MAIL, async () => {
    if (isBroken) throw new Error('no such host');
  });
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });
  await runAttempts(process, JOB_LIMITS.jobAttemptsMax);

  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });
  assert.equal((await runAttempts(process, JOB_LIMITS.jobAttemptsMax)).length, JOB_LIMITS.jobAttemptsMax - 1);
  isBroken = false;
  assert.equal(await process.jobs.retryFailed(), 1);
  assert.equal(await process.jobs.runDue(), 1);

  assert.deepEqual(await process.jobs.listFailed(), []);
  assert.deepEqual(await rowsOf(process), []);
});

test('requesting a failed job again does not make its next attempt earlier', async (t) => {
  const process = await openOne(t);
  process.jobs.register(MAIL, async () => {
    throw new Error('no such host');
  });
  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });
  await process.jobs.runDue();

  await enqueue(process, MAIL, { key: 'k', payload: { to: 'ada' } });
  assert.equal(await process.jobs.runDue(), 0);
  process.clock.advance(JOB_LIMITS.jobRetryMsMin);
  assert.equal(await process.jobs.runDue(), 1);
});

test('one failing job does not block others', async (t) => {
  const process = await openOne(t);
  const sent: string[] = [];
  process.jobs.register(MAIL, async ({ to }) => {
    if (to.startsWith('bad')) throw new Error('no such host');
    sent.push(to);
  });
  for (const to of ['bad1', 'bad2', 'bad3', 'bad4', 'bad5', 'ada']) {
    await enqueue(process, MAIL, { payload: { to } });
  }

  assert.equal(await process.jobs.runDue({ aheadMs: JOB_LIMITS.jobRetryMsMax * 10 }), 6);
  assert.deepEqual(sent, ['ada']);
});
