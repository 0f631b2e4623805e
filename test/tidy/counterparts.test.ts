import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderPathOf, repositoryTexts } from './sources.ts';

// Runs once: no outcome depends on the database.

/** Folders of tests that belong to no single folder of `src/`, and of what tests share. */
const CROSS_CUTTING = ['costs', 'docs', 'faults', 'runner', 'sdk', 'support', 'threats', 'tidy'];

function foldersIn(root: string, paths: readonly string[]): string[] {
  const folders = paths
    .filter((path) => path.startsWith(`${root}/`))
    .map((path) => folderPathOf({ path }))
    .filter((name) => !name.includes('.'));
  return [...new Set(folders)].sort();
}

function unmatched(paths: readonly string[]): string[] {
  const counterparts = [...foldersIn('src', paths), ...CROSS_CUTTING];
  return foldersIn('test', paths).filter((folder) => !counterparts.includes(folder));
}

test('each folder of tests has the name of a folder of src', () => {
  assert.deepEqual(unmatched(repositoryTexts().map(({ path }) => path)), []);
});

test('a folder of tests without a folder of src is found', () => {
  const paths = [
    'src/notes/notebooks/model.ts',
    'test/notes/notebooks/api.test.ts',
    'test/api/all/all.test.ts',
    'test/run.ts',
  ];
  assert.deepEqual(unmatched(paths), ['api/all']);
});
