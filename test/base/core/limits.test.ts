import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { LIMITS } from '../../../src/base/core/limits.ts';

const FOLDER = new URL('../../../src/base/core/limits/', import.meta.url);

test('LIMITS has the limits of every subject, and none has two definitions', async () => {
  const names: string[] = [];
  for (const file of await readdir(FOLDER)) {
    const groups = Object.values<object>(await import(new URL(file, FOLDER).href));
    names.push(...groups.flatMap((group) => Object.keys(group)));
  }
  assert.deepEqual(names.sort(), Object.keys(LIMITS).sort());
});
