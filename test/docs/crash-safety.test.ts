import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAULT_POINTS } from '../../src/base/core/faults.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

test('docs/crash-safety.md says what is left after a kill at each point', () => {
  const text = readFileSync(join(ROOT, 'docs/crash-safety.md'), 'utf8');
  const described = [...text.matchAll(/^\| `([a-z-]+)`: /gm)].map(([, point]) => point);
  assert.deepEqual(described, [...FAULT_POINTS]);
});
