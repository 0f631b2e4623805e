import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

/** Pages that describe the code as it is. Decisions describe it as it was. */
const PAGES = ['docs/*.md', 'docs/flows/*.md', 'CONTRIBUTING.md'];
const SOURCES = /`((?:[\w.-]+\/)+(?:[\w.-]+\.(?:ts|mjs|cjs|sh))?)`/g;

/** Lists paths in a text that lead to nothing, neither from `src/` nor from the root of the repository. */
function missingPaths(text: string): readonly string[] {
  const wings = ['', 'src/'];
  return [...text.matchAll(SOURCES)]
    .map(([, name = '']) => name)
    .filter((name) => isOurs(name) && !wings.some((start) => existsSync(path.join(ROOT, start, name))));
}

/** Other paths are those of data, refs and addresses, and a pattern for names has capitals. */
function isOurs(name: string): boolean {
  if (name.includes('NNNN')) return false;
  const [first = ''] = name.split('/');
  return existsSync(path.join(ROOT, 'src', first)) || existsSync(path.join(ROOT, first));
}

test('paths of files and folders in the documents exist', () => {
  const pages = globSync(PAGES, { cwd: ROOT });
  assert.ok(pages.length > 20);
  const missing = pages.flatMap((page) =>
    missingPaths(readFileSync(path.join(ROOT, page), 'utf8')).map((name) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
  assert.deepEqual(missingPaths('`git/nothing.ts`, `src/git/`, `refs/heads/`, `git/engine.ts`'), [
    'git/nothing.ts',
  ]);
});
