import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFromFilesSync } from 'editorconfig';
import fc from 'fast-check';
import { StepBudget } from '../../../src/base/core/text/globs.ts';
import { parseSection } from '../../../src/code/editorconfig/section-pattern.ts';

// Runs once: no outcome depends on the database.

const matches = (section: string, path: string) =>
  parseSection(section, new StepBudget(1_000_000)).matches(path);

/** Section, paths that it matches, and paths that it does not. */
const SECTIONS: readonly [section: string, matching: readonly string[], others: readonly string[]][] = [
  ['*', ['a', 'a/b.c', '.x'], []],
  ['*.md', ['a.md', 'docs/a.md', '.md'], ['a.mdx', 'md']],
  ['/*.md', ['a.md'], ['docs/a.md']],
  ['docs/*.md', ['docs/a.md'], ['docs/x/a.md', 'x/docs/a.md']],
  ['docs/**.md', ['docs/a.md', 'docs/x/a.md'], ['a.md']],
  ['docs/**/a.md', ['docs/a.md', 'docs/x/a.md', 'docs/x/y/a.md'], ['docs/xa.md']],
  ['**/a.md', ['a.md', 'x/a.md'], ['xa.md']],
  ['**/**/a.md', ['a.md', 'x/a.md', 'x/y/a.md'], ['xa.md']],
  ['docs/**/**/a.md', ['docs/a.md', 'docs/x/a.md'], ['docs/xa.md']],
  ['a?c', ['abc', 'x/abc'], ['ac', 'a/c']],
  ['[ab].c', ['a.c', 'b.c'], ['c.c', 'ab.c']],
  ['[!ab].c', ['c.c'], ['a.c', '/.c']],
  ['[a-c].d', ['b.d'], ['d.d', '-.d']],
  ['[a-].d', ['a.d', '-.d'], ['b.d']],
  ['[\\]a].d', ['].d', 'a.d'], ['b.d']],
  ['a[/]b', ['a[/]b'], ['a/b']],
  ['a[b', ['a[b'], ['ab']],
  ['{a,b}.c', ['a.c', 'b.c'], ['{a,b}.c']],
  ['{a,b{c,d}}.e', ['a.e', 'bc.e', 'bd.e'], ['b.e']],
  ['a{,b}', ['a', 'ab'], ['b']],
  ['{a}.c', ['{a}.c'], ['a.c']],
  ['{a,b', ['{a,b'], ['a', 'b']],
  ['a\\*', ['a*'], ['ab']],
  ['f{1..12}', ['f1', 'f7', 'f12'], ['f0', 'f13', 'f01', 'f', 'f1.5']],
  ['f{12..1}', ['f7'], ['f13']],
  ['f{-3..3}', ['f-2', 'f0'], ['f-4', 'f-']],
  ['f{1..12}2', ['f12', 'f122'], ['f2']],
  ['{a..c}', ['{a..c}'], ['b']],
  ['päne', ['päne'], ['pane']],
];

for (const [section, matching, others] of SECTIONS) {
  test(`the section [${section}] matches as EditorConfig defines it`, () => {
    for (const path of matching) assert.equal(matches(section, path), true, path);
    for (const path of others) assert.equal(matches(section, path), false, path);
  });
}

test('sections match the same paths as in the package of EditorConfig itself', () => {
  const official = (section: string, path: string) => {
    const contents = Buffer.from(`[${section}]\nx = 1\n`);
    return 'x' in parseFromFilesSync(`/r/${path}`, [{ name: '/r/.editorconfig', contents }], { root: '/r' });
  };
  const parts = [
    'a',
    'b',
    '1',
    '.',
    '/',
    '*',
    '**',
    '?',
    '{a,b}',
    '{a,{b,1}}',
    '{a}',
    '{1..12}',
    '[ab]',
    '[!a]',
  ];
  // The package joins several slashes or stars and resolves the folders `.` and `..`.
  const section = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 7 })
    .map((each) => each.join(''))
    .filter((text) => !/\/\/|\/$|\*{3}|(^|\/)\.\.?(\/|$)/.test(text));
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', '1', '2', '.x'), { minLength: 1, maxLength: 4 })
    .map((each) => each.join(''));
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((each) => each.join('/'));

  fc.assert(
    fc.property(section, path, (one, other) => assert.equal(matches(one, other), official(one, other))),
    { numRuns: 2000 },
  );
});

test('H4: the cost of a hostile section is at most proportional to its length times the path', () => {
  const path = 'a'.repeat(4096);
  const hostile = [
    '*a'.repeat(500),
    '**'.repeat(500),
    '{a,'.repeat(300),
    '{a,b}'.repeat(200),
    '{1..999999999}'.repeat(70),
  ];
  for (const section of [...hostile, `${'{a,'.repeat(250)}${'}'.repeat(250)}`, '['.repeat(1000)]) {
    const budget = new StepBudget(section.length * (path.length + 1) * 2);
    assert.doesNotThrow(() => parseSection(`${section}!`, budget).matches(path), section.slice(0, 20));
  }
});
