import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { Allowance } from '../../../src/base/core/fairness/allowance.ts';
import { type Caller, runFor, runForServer } from '../../../src/base/core/fairness/caller.ts';
import { ManualClock } from '../../support/manual-clock.ts';

// Runs once: no outcome depends on the database.

const callerOf = (share: string): Caller => ({ share, isAnonymous: false, isServer: false });

function newAllowance() {
  const clock = new ManualClock();
  const options = { what: 'things', unitsMax: 10, periodMs: 10_000, callersRememberedMax: 100 };
  const allowance = new Allowance(options, clock);
  const spend = (share: string, units: number) => runFor(callerOf(share), () => allowance.spend(units));
  return { clock, allowance, spend };
}

test('each caller has an allowance, which comes back over time and does not grow beyond its size', () => {
  const { clock, spend } = newAllowance();

  spend('ada', 10);
  assert.throws(() => spend('ada', 1), ForgeError);
  spend('grace', 10);
  clock.advance(3_000);
  spend('ada', 3);
  assert.throws(() => spend('ada', 1), ForgeError);
  clock.advance(1_000_000);
  spend('ada', 10);
  assert.throws(() => spend('ada', 1), ForgeError);
});

test('work whose cost is known only afterwards is charged to its caller, who then waits', () => {
  const { clock, allowance } = newAllowance();
  const charge = (share: string, units: number) => runFor(callerOf(share), () => allowance.charge(units));
  const requireSome = (share: string) => runFor(callerOf(share), () => allowance.requireSome());

  charge('ada', 9);
  requireSome('ada');
  charge('ada', 4);
  assert.throws(() => requireSome('ada'), ForgeError);
  requireSome('grace');
  clock.advance(3_500);
  requireSome('ada');
  runForServer(() => allowance.charge(100));
  runForServer(() => allowance.requireSome());
});

test('an exceeded allowance reports when to try again, and takes nothing', () => {
  const { spend } = newAllowance();
  spend('ada', 6);

  assert.throws(
    () => spend('ada', 6),
    (error) =>
      error instanceof ForgeError && error.failure.kind === 'busy' && error.failure.retryAfterSeconds === 2,
  );
  spend('ada', 4);
});

test('the work of the server itself has no allowance', () => {
  const { allowance } = newAllowance();

  runForServer(() => allowance.spend(1_000));
  runForServer(() => allowance.spend(1_000));
});
