import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../support/process.ts';

// Runs once: no outcome depends on the database.

test('each limit has one definition, in the folder of its feature', async () => {
  const files = globSync('src/**/limits.ts', { cwd: ROOT });
  assert.ok(files.length > 30);
  const names: string[] = [];
  for (const file of files) {
    const groups = Object.values<object>(await import(path.join(ROOT, file)));
    assert.equal(groups.length, 1, file);
    names.push(...groups.flatMap((group) => Object.keys(group)));
  }
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});
