// Runs once: no outcome depends on the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { stepOf } from '../../../src/people/second-factor/one-time-codes.ts';

const SECRET = Secret.fromUTF8('12345678901234567890').base32;
const STEP_MS = 30_000;

test('codes are those of RFC 6238, appendix B', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(stepOf(code, SECRET, seconds * 1000), Math.floor(seconds / 30));
});

test('the clock of a phone may be wrong by one time step', () => {
  const now = 1_800_000_000_000;
  const codes = new TOTP({ secret: Secret.fromBase32(SECRET) });
  const accepted = [-3, -2, -1, 0, 1, 2, 3].filter(
    (steps) => stepOf(codes.generate({ timestamp: now + steps * STEP_MS }), SECRET, now) !== undefined,
  );
  assert.deepEqual(accepted, [-1, 0, 1]);
});
