import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

// Runs once: no outcome depends on the database.

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLASS_ON_PAGE = /^\*\*([A-H]\d+)\.\*\* (\S.*)$/gm;
const CLASS_OF_TEST = /\btest\(\s*['"`]([A-H]\d+): /g;

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

/** Returns the classes on the page, in its order. */
function classesOn(page: string): { name: string; text: string }[] {
  return [...page.matchAll(CLASS_ON_PAGE)].map(([, name = '', text = '']) => ({ name, text }));
}

function classesWithTests(): Set<string> {
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT });
  return new Set(
    tests.flatMap((file) => [...read(file).matchAll(CLASS_OF_TEST)].map(([, name = '']) => name)),
  );
}

/** Returns all names from number 1 to the highest number that `names` has for each letter. */
function withoutGaps(names: readonly string[]): string[] {
  const letters = [...new Set(names.map((name) => name.charAt(0)))].sort();
  return letters.flatMap((letter) => {
    const numbers = names.filter((name) => name.startsWith(letter)).map((name) => Number(name.slice(1)));
    return Array.from({ length: Math.max(...numbers) }, (_, index) => `${letter}${index + 1}`);
  });
}

test('docs/security.md lists every class once and in order', () => {
  const names = classesOn(read('docs/security.md')).map(({ name }) => name);
  assert.ok(names.length > 50);
  assert.deepEqual(names, withoutGaps(names));
});

test('docs/security.md marks exactly the classes without a test with "No test yet"', () => {
  const listed = classesOn(read('docs/security.md'));
  const tested = listed.filter(({ text }) => !text.includes('No test yet: ')).map(({ name }) => name);
  assert.deepEqual(tested, [...classesWithTests()].sort(inOrder));
});

function inOrder(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
