import assert from 'node:assert/strict';
import { test } from 'node:test';
import { git } from '../git-fixture.ts';
import { importVersions } from './random-files.ts';

// Runs once: no outcome depends on the database.

/** git needs more memory for so many lines than a comparison may take. */
const LINES = 3_000_000;

test('texts for whose comparison git has too little memory are too much to compare', async (t) => {
  const versions = ['', 'last'].map(
    (end) => new Map([['log', { mode: '100644', text: '\n'.repeat(LINES) + end }]]),
  );
  const { storage, gitFolder, commits, oids } = await importVersions(t, versions);
  const [from = '', to = ''] = oids.map((oid) => git(gitFolder, ['rev-parse', `${oid}:log`]).trim());
  const [{ snapshot } = assert.fail()] = commits;

  await assert.rejects(storage.history.compareBlobs(snapshot, { from, to }), /there is too much to compare/);
});
