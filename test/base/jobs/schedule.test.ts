import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_LIMITS } from '../../../src/base/jobs/limits.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { openOne, openProcess } from './jobs-fixture.ts';

const HOUR = 60 * 60_000;

test('a recurring job runs once per period in one of two processes', async (t) => {
  const location = await databaseLocation(t);
  const processes = [openProcess(t, location), openProcess(t, location)];
  let runs = 0;
  for (const { jobs } of processes) {
    jobs.schedule('test.hourly', HOUR, async () => {
      runs += 1;
    });
  }
  const pass = async (ms: number) => {
    for (const { clock } of processes) clock.advance(ms);
    await Promise.all(processes.map(({ jobs }) => jobs.runDue()));
    return runs;
  };

  assert.equal(await pass(0), 0, 'the first run is after one period');
  assert.equal(await pass(HOUR - 1), 0);
  assert.equal(await pass(1), 1);
  assert.equal(await pass(0), 1);
  assert.equal(await pass(HOUR - 1), 1);
  assert.equal(await pass(1), 2);
  assert.equal(await pass(10 * HOUR), 3, 'missed periods are skipped');
  assert.equal(await pass(0), 3);
});

test('a restarted process does not restart the period', async (t) => {
  const location = await databaseLocation(t);
  let runs = 0;
  const start = (now: number) => {
    const process = openProcess(t, location);
    process.clock.advance(now);
    process.jobs.schedule('test.hourly', HOUR, async () => {
      runs += 1;
    });
    return process.jobs.runDue();
  };

  await start(0);
  await start(HOUR - 1);
  assert.equal(runs, 0);
  await start(HOUR);
  assert.equal(runs, 1);
});

test('a recurring job that was given up stays in the list of failed jobs until it runs in the next period', async (t) => {
  const process = await openOne(t);
  const day = 24 * HOUR;
  let isBroken = true;
  process.jobs.schedule('test.daily', day, async () => {
    if (isBroken) throw new Error('disk full');
  });
  await process.jobs.runDue();
  process.clock.advance(day);
  let attempts = 0;
  for (let ran = 1; ran > 0; ) {
    ran = await process.jobs.runDue();
    attempts += ran;
    process.clock.advance(JOB_LIMITS.jobRetryMsMax);
  }

  assert.equal(attempts, JOB_LIMITS.jobAttemptsMax);
  assert.deepEqual(
    (await process.jobs.listFailed()).map(({ kind, lastError }) => [kind, lastError]),
    [['test.daily', 'disk full']],
  );
  isBroken = false;
  process.clock.advance(day);
  assert.equal(await process.jobs.runDue(), 1);
  assert.deepEqual(await process.jobs.listFailed(), []);
});
