import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseLocation } from '../support/database/database-location.ts';
import { KILLS } from './kills.ts';
import { Trial } from './trial.ts';

// Runs on a disk, as a server does.

const ANYWHERE_MS_MAX = 1_500;
const TIMEOUT_MS = 25 * 60_000;
/** The doctor also repairs, so half of the servers recover without it. */
const DOCTORS = ['before start', 'after stop'] as const;

test('a killed server loses no acknowledged change', { timeout: TIMEOUT_MS }, async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const trial = await Trial.prepare(t, location.kind === 'url' ? location : undefined);
  for (const kill of KILLS) {
    await t.test(kill.name, { timeout: TIMEOUT_MS }, async () => {
      for (const doctor of DOCTORS) {
        // The log of a server and its stop on a signal depend little on where the one before was killed.
        const recovery = kill.point === null && doctor === 'after stop' ? 'separate process' : 'this process';
        const { problems } = await trial.round(kill, { anywhereMsMax: ANYWHERE_MS_MAX, doctor, recovery });
        const [worst] = problems.filter(({ kind }) => kind !== 'doctor');
        assert.equal(worst, undefined, JSON.stringify(problems, null, 2));
      }
    });
  }
});
