import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNITS } from '../../../src/api/access/levels.ts';
import { PERMISSION_DIGITS, permissionsOf, standingOf, weightOf } from '../../../src/api/access/packing.ts';

// Runs once: no outcome depends on the database.

test('unpacking returns the level on each unit and on the whole repository', () => {
  const { level, units } = permissionsOf(641);

  assert.equal(level, 'write');
  assert.equal(units.code, 'write');
  assert.deepEqual(
    new Set(UNITS.filter((unit) => unit !== 'code').map((unit) => units[unit])),
    new Set(['read']),
  );
});

test('an administrator of one unit does not administer the repository', () => {
  const { level, units } = permissionsOf(weightOf(PERMISSION_DIGITS.ofUnit('actions')) * 3);

  assert.equal(level, 'write');
  assert.equal(units.actions, 'admin');
  assert.equal(units.code, 'none');
});

test('a team that owns the repository gives the level owner on every unit', () => {
  const { level, units } = permissionsOf(4 * weightOf(PERMISSION_DIGITS.byTeams) + 1);

  assert.equal(level, 'owner');
  assert.ok(UNITS.every((unit) => units[unit] === 'owner'));
});

test('0 means hidden, for a repository and for an organization', () => {
  assert.equal(permissionsOf(0).level, 'none');
  assert.equal(standingOf(0).isVisible, false);
});

test('the highest packed level is an integer that both databases and JavaScript represent exactly', () => {
  const digits = PERMISSION_DIGITS.ofUnit(UNITS[UNITS.length - 1] ?? 'code') + 1;

  assert.ok(Number.isSafeInteger(weightOf(digits) - 1));
});
