import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tasksOf } from './plan.ts';

const LONG = 'test/access/matrix.test.ts';
const SHORT = 'test/stars/stars.test.ts';
const WITHOUT_DATABASE = 'test/core/core.test.ts';

test('the longest files run first, and the other files of each database one after the other', () => {
  const tasks = tasksOf([WITHOUT_DATABASE, SHORT, LONG], ['sqlite', 'postgres']);

  assert.deepEqual(
    tasks.map(({ file, database }) => `${database} ${file}`),
    [
      `sqlite ${LONG}`,
      `postgres ${LONG}`,
      `sqlite ${WITHOUT_DATABASE}`,
      `sqlite ${SHORT}`,
      `postgres ${SHORT}`,
    ],
  );
});

test('a file without a database runs once, whichever database is chosen', () => {
  for (const database of ['sqlite', 'postgres'] as const)
    assert.deepEqual(tasksOf([WITHOUT_DATABASE], [database]), [{ file: WITHOUT_DATABASE, database }]);
});
