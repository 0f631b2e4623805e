import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marksOf, tasksOf } from './plan.ts';

// Runs once: it needs no database.

const ON_EACH = 'test/hosting/stars/stars.test.ts';
const ONCE = 'test/runner/plan.test.ts';

test('one database follows the other, without the files that run once', () => {
  const tasks = tasksOf([ONCE, ON_EACH], ['sqlite', 'postgres']);

  assert.deepEqual(
    tasks.map(({ file, database }) => `${database} ${file}`),
    [`sqlite ${ONCE}`, `sqlite ${ON_EACH}`, `postgres ${ON_EACH}`],
  );
});

test('a file that runs once runs on whichever database is chosen', () => {
  for (const database of ['sqlite', 'postgres'] as const)
    assert.deepEqual(
      tasksOf([ONCE], [database]).map((task) => task.database),
      [database],
    );
});

test('a file says in a comment on a line of its own how it runs', () => {
  const none = { isOnce: false, isAlone: false, isOnDisk: false };
  assert.deepEqual(marksOf("test('// Runs once', () => {});\n"), none);
  assert.deepEqual(marksOf('// Runs once: a reason.\n'), { ...none, isOnce: true });
  assert.deepEqual(marksOf('// Runs alone: a reason.\n'), { ...none, isAlone: true });
  assert.deepEqual(marksOf('// Runs once.\n// Runs on a disk: a reason.\n'), {
    isOnce: true,
    isAlone: true,
    isOnDisk: true,
  });
});
