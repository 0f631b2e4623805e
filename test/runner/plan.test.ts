import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { usesClients } from './installed.ts';
import { tasksOf } from './plan.ts';

const LONG = 'test/api/access/matrix.test.ts';
const SHORT = 'test/hosting/stars/stars.test.ts';
const WITH_CLIENTS = 'test/sdk/other-languages.test.ts';
const WITHOUT_DATABASE = 'test/base/core/core.test.ts';

const namesOf = (tasks: ReturnType<typeof tasksOf>) =>
  tasks.map(({ file, database }) => `${database} ${file}`);

test('one database follows the other, each with its longest files first', () => {
  const tasks = tasksOf([WITHOUT_DATABASE, SHORT, LONG], ['sqlite', 'postgres']);

  assert.deepEqual(namesOf(tasks), [
    `sqlite ${LONG}`,
    `sqlite ${WITHOUT_DATABASE}`,
    `sqlite ${SHORT}`,
    `postgres ${LONG}`,
    `postgres ${SHORT}`,
  ]);
});

test('files that use installed clients run last on the first database, and before short files on the other', () => {
  const tasks = tasksOf([WITH_CLIENTS, 'test/hosting/lfs/s3.test.ts', LONG, SHORT], ['sqlite', 'postgres']);

  assert.deepEqual(namesOf(tasks), [
    `sqlite ${LONG}`,
    `sqlite ${SHORT}`,
    `sqlite ${WITH_CLIENTS}`,
    'sqlite test/hosting/lfs/s3.test.ts',
    `postgres ${LONG}`,
    `postgres ${WITH_CLIENTS}`,
    'postgres test/hosting/lfs/s3.test.ts',
    `postgres ${SHORT}`,
  ]);
});

test('no file runs twice on a database, in the plan of all files', () => {
  const files = globSync('test/**/*.test.ts');

  const tasks = namesOf(tasksOf(files, ['sqlite', 'postgres']));

  assert.equal(new Set(tasks).size, tasks.length);
  for (const file of files) assert.ok(tasks.includes(`sqlite ${file}`), file);
});

test('only test files and the support of S3 name the installed clients, so the order of a file follows from its text', () => {
  const users = globSync('test/**/*.ts').filter((file) => usesClients(file) && !file.endsWith('.test.ts'));

  assert.deepEqual(users.sort(), ['test/support/s3.ts']);
});

test('files that cannot see the database run on the first one only', () => {
  const tasks = tasksOf(
    ['test/git/edited-tree.test.ts', 'test/git/maintenance/repack.test.ts', SHORT],
    ['sqlite', 'postgres'],
  );

  assert.deepEqual(namesOf(tasks), [
    'sqlite test/git/edited-tree.test.ts',
    'sqlite test/git/maintenance/repack.test.ts',
    `sqlite ${SHORT}`,
    'postgres test/git/maintenance/repack.test.ts',
    `postgres ${SHORT}`,
  ]);
});

test('files about bytes and processes of git run on the first database only', () => {
  const file = 'test/code/commits/texts.test.ts';
  assert.deepEqual(tasksOf([file], ['sqlite', 'postgres']), [{ file, database: 'sqlite' }]);
});

test('a file without a database runs once, whichever database is chosen', () => {
  for (const database of ['sqlite', 'postgres'] as const)
    assert.deepEqual(tasksOf([WITHOUT_DATABASE], [database]), [{ file: WITHOUT_DATABASE, database }]);
});
