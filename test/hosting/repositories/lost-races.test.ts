import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { REPOSITORY_LIMITS } from '../../../src/hosting/repositories/limits.ts';
import { LOST_RACE, untilNoRaceIsLost } from '../../../src/hosting/repositories/refs/lost-races.ts';

// Runs once: no outcome depends on the database.

/** Loses a number of races, then returns `result`. */
function attemptsLosing(races: number, result: unknown) {
  const state = { count: 0 };
  const attempt = async () => {
    state.count += 1;
    return state.count > races ? result : LOST_RACE;
  };
  return { state, attempt };
}

test('a change is attempted again until it loses no race, and may have no result', async () => {
  for (const result of ['done', undefined, null]) {
    const { state, attempt } = attemptsLosing(2, result);
    assert.equal(await untilNoRaceIsLost('try again', attempt), result);
    assert.equal(state.count, 3);
  }
});

test('a change that loses too many races is busy', async () => {
  const { state, attempt } = attemptsLosing(REPOSITORY_LIMITS.lostRacesMax, 'done');
  await assert.rejects(untilNoRaceIsLost('these keep changing', attempt), (error) => {
    assert.ok(error instanceof ForgeError);
    assert.deepEqual(error.failure, { kind: 'busy', what: 'these keep changing', retryAfterSeconds: 1 });
    return true;
  });
  assert.equal(state.count, REPOSITORY_LIMITS.lostRacesMax);
});

test('an error of an attempt ends the change', async () => {
  let count = 0;
  const attempt = async () => {
    count += 1;
    throw new Error('broken');
  };
  await assert.rejects(untilNoRaceIsLost('try again', attempt), /broken/);
  assert.equal(count, 1);
});
