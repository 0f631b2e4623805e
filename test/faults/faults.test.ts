import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseLocation } from '../support/database-location.ts';
import { KILLS } from './kills.ts';
import { Trial } from './trial.ts';

const ANYWHERE_MS_MAX = 1_500;
const TIMEOUT_MS = 10 * 60_000;
const ROUNDS = [
  { doctor: 'before start', recovery: 'this process' },
  { doctor: 'after stop', recovery: 'separate process' },
] as const;

test('a killed server loses no acknowledged change', { timeout: TIMEOUT_MS }, async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const trial = await Trial.prepare(t, location.kind === 'url' ? location : undefined);
  for (const kill of KILLS) {
    await t.test(kill.name, { timeout: TIMEOUT_MS }, async () => {
      for (const how of ROUNDS) {
        const { problems } = await trial.round(kill, { anywhereMsMax: ANYWHERE_MS_MAX, ...how });
        const [worst] = problems.filter(({ kind }) => kind !== 'doctor');
        assert.equal(worst, undefined, JSON.stringify(problems, null, 2));
      }
    });
  }
});
