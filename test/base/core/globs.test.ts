import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGlob, StepBudget } from '../../../src/base/core/text/globs.ts';

// Runs once: no outcome depends on the database.

const CASES: readonly (readonly [pattern: string, matched: readonly string[], others: readonly string[]])[] =
  [
    ['**.go', ['a.go', 'a/b.go', '.go'], ['a.god', 'go', 'a.go/b']],
    ['text/*.txt', ['text/a.txt', 'text/.txt'], ['text/a/b.txt', 'a.txt', 'text/a.md']],
    ['a/b/c/d.json', ['a/b/c/d.json'], ['a/b/c/dXjson', 'b/c/d.json', 'a/b/c/d.json/e']],
    ['**.[bB][aA][tT]', ['x.bat', 'y/x.BaT'], ['x.bit', 'x.ba']],
    ['?.md', ['a.md', 'é.md', '😀.md'], ['.md', 'ab.md', '/.md']],
    ['[!a-c].md', ['d.md', '!.md'], ['b.md', '/.md']],
    ['[a-]', ['a', '-'], ['b']],
    ['[]]', [']'], ['[']],
    ['{a,b/{c,d}}.md', ['a.md', 'b/c.md', 'b/d.md'], ['b.md', 'c.md', 'b/.md']],
    ['\\*\\{a', ['*{a'], ['x{a', '\\*{a']],
    ['**', ['', 'a', 'a/b/c'], []],
    ['*', ['', 'a'], ['a/b', '/']],
    ['**/x', ['a/x', 'a/b/x'], ['x']],
    ['a.b', ['a.b'], ['axb']],
    ['', [''], ['a']],
  ];

for (const [pattern, matched, others] of CASES) {
  test(`the pattern ${JSON.stringify(pattern)} matches its paths and no others`, () => {
    const globs = parseGlob(pattern, { alternativesMax: 8 });
    assert.ok(globs);
    const budget = new StepBudget(10_000);
    const isMatched = (path: string) => globs.some((glob) => glob.matches(path, budget));
    for (const path of matched) assert.equal(isMatched(path), true, path);
    for (const path of others) assert.equal(isMatched(path), false, path);
  });
}

test('an invalid pattern, or one with too many alternatives, is not parsed', () => {
  for (const pattern of ['[a', '[', '{a,b', '{a,{b}', 'a\\', '{a,b}{a,b}{a,b}{a,b}'])
    assert.equal(parseGlob(pattern, { alternativesMax: 8 }), undefined, pattern);
});

test("H4: the cost of a hostile pattern is at most proportional to its length times the path's", () => {
  const pattern = `${'*a'.repeat(100)}b`;
  const path = 'a'.repeat(2000);
  const [glob] = parseGlob(pattern, { alternativesMax: 8 }) ?? [];
  assert.ok(glob);
  assert.equal(glob.matches(path, new StepBudget(pattern.length * path.length * 2)), false);
  assert.throws(() => glob.matches(path, new StepBudget(1_000)), /take too long/);
});
