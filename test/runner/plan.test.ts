import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marksOf, tasksOf } from './plan.ts';

// Runs once: it needs no database.

const ON_EACH = 'test/hosting/stars/stars.test.ts';
const ONCE = 'test/runner/plan.test.ts';

test('all files run on the first database, and files that do not run once also on the second', () => {
  const tasks = tasksOf([ONCE, ON_EACH], ['sqlite', 'postgres']);

  assert.deepEqual(
    tasks.map(({ file, database }) => `${database} ${file}`),
    [`sqlite ${ONCE}`, `sqlite ${ON_EACH}`, `postgres ${ON_EACH}`],
  );
});

test('if only one database is chosen, a file that runs once runs on it', () => {
  for (const database of ['sqlite', 'postgres'] as const)
    assert.deepEqual(
      tasksOf([ONCE], [database]).map((task) => task.database),
      [database],
    );
});

test('a comment on a line of its own states how a file runs', () => {
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
