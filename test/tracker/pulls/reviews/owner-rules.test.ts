import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepBudget } from '../../../../src/base/core/text/globs.ts';
import { LinearPattern } from '../../../../src/tracker/pulls/reviews/owners/pattern.ts';
import { ownersOf, parseOwnerRules } from '../../../../src/tracker/pulls/reviews/owners/rules.ts';

// Runs once: no outcome depends on the database.

function isIn(pattern: string, text: string): boolean | undefined {
  return LinearPattern.of(pattern)?.isIn(text, new StepBudget(1_000_000));
}

/** Patterns that JavaScript and Go read in the same way. */
const SHARED: readonly (readonly [pattern: string, texts: readonly string[]])[] = [
  ['^src/.*\\.js$', ['src/a.js', 'src/a/b.js', 'src/a.jsx', 'lib/src/a.js', 'src/.js']],
  ['^docs/(aws|google|azure)/[^/]*\\.(md|txt)$', ['docs/aws/a.md', 'docs/aws/b/a.md', 'docs/gcp/a.md']],
  ['^a|b$', ['abc', 'cab', 'cba', 'b', '']],
  ['^(a|ab)(c|bcd)(d*)$', ['abcd', 'abcdd', 'acd', 'abd']],
  ['^x*$', ['', 'x', 'xxx', 'xy']],
  ['^(a*)*$', ['', 'aaa', 'aab']],
  ['^(a+)+b$', ['aaab', 'aaa', 'b']],
  ['^a{2,3}$', ['a', 'aa', 'aaa', 'aaaa']],
  ['^a{2}$', ['a', 'aa', 'aaa']],
  ['^a{2,}$', ['a', 'aa', 'aaaaa']],
  ['^a{0}b$', ['b', 'ab']],
  ['^a?b??c$', ['c', 'ac', 'abc', 'bc', 'bbc']],
  ['^[a-c]+[^a-c]$', ['abcd', 'abc', 'd', 'cabx']],
  ['^[\\]-]$', [']', '-', 'a']],
  ['^[\\w.-]+$', ['a-b.c_1', 'a b', 'ä']],
  ['^\\d\\D\\s\\S\\w\\W$', ['1a b_!', '1a bä!', 'aa b_!']],
  ['\\bcat\\b', ['a cat', 'cats', 'concat', 'cat/x']],
  ['\\Bcat', ['concat', 'cat']],
  ['^\\x41\\t\\n$', ['A\t\n', 'a\t\n']],
  ['^.$', ['a', 'ä', '\n', '']],
  ['^(?:ab|cd)+$', ['abcd', 'ab', 'abc']],
  ['^(?<name>ab)$', ['ab', 'a']],
  ['^a{,2}$', ['a{,2}', 'aa']],
  ['^a\\.b\\*\\(\\)$', ['a.b*()', 'axb*()']],
  ['^$', ['', 'a']],
];

test('a pattern matches what a regular expression of JavaScript matches', () => {
  for (const [pattern, texts] of SHARED)
    for (const text of texts)
      assert.equal(isIn(pattern, text), new RegExp(pattern).test(text), `${pattern} in ${text}`);
});

test('flags, quotes, names of classes and places as in Go', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['^(?i)readme\\.MD$', 'README.md', true],
    ['^(?i:a)b$', 'Ab', true],
    ['^(?i:a)b$', 'AB', false],
    ['^(?i)[a-c]$', 'B', true],
    ['^(?i)[^a-c]$', 'B', false],
    ['^a(?s).b$', 'a\nb', true],
    ['^\\Qa.b*\\E+$', 'a.b*', true],
    ['^\\Qa.b*\\E$', 'aXb*', false],
    ['^[[:alpha:]]+[[:^digit:]]$', 'ab-', true],
    ['^(?P<n>a)$', 'a', true],
    ['\\Aa\\z', 'a', true],
    ['^*.js$', 'lib/app.js', true],
  ];
  for (const [pattern, text, expected] of cases)
    assert.equal(isIn(pattern, text), expected, `${pattern} in ${text}`);
});

test('malformed patterns, and those that are too large', () => {
  const patterns = [
    '(',
    ')',
    '[',
    '[a',
    '[b-a]',
    '*',
    'a**',
    'a{3,2}',
    'a{1001}',
    '\\',
    '\\1',
    '\\pL',
    '(?<=a)b',
    '(?!a)',
    '(?=a)',
    '[[:none:]]',
    'a\\',
    '((a{100}){100}){100}',
    '((((){1000}){1000}){1000}){1000}',
  ];
  for (const pattern of patterns) assert.equal(LinearPattern.of(pattern), undefined, pattern);
});

test('hostile patterns take linear time', () => {
  const text = 'a'.repeat(2_000);
  for (const pattern of ['^(a+)+b$', '^(a|a)*b$', '^(a|aa)+$b', '(x+x+)+y', '^(.*a){20}b$']) {
    const budget = new StepBudget(1_000_000);
    assert.equal(LinearPattern.of(pattern)?.isIn(text, budget), false, pattern);
  }
});

test('rules: comments, escapes, negation, and owners in any form', async () => {
  const rules = parseOwnerRules(`
# owners
.*\\\\.go @Ada ben # the others
!frontend/.*   @acme/Platform\t@other/team
path/with\\ space @cyd\r
dir/with\\#hash @dora
without-owner
( @zoe
`);
  assert.deepEqual(
    rules.map(({ pattern, isNegated, owners }) => [pattern, isNegated, owners]),
    [
      ['^.*\\.go$', false, ['ada', 'ben']],
      ['^frontend/.*$', true, ['acme/platform', 'other/team']],
      ['^path/with space$', false, ['cyd']],
      ['^dir/with#hash$', false, ['dora']],
      ['^($', false, ['zoe']],
    ],
  );
  const owners = async (...paths: string[]) => ownersOf(rules, paths, 'Acme');
  assert.deepEqual(await owners('cmd/main.go'), { users: ['ada', 'ben'], teams: ['platform'] });
  assert.deepEqual(await owners('frontend/app.js'), { users: [], teams: [] });
  assert.deepEqual(await owners('path/with space'), { users: ['cyd'], teams: ['platform'] });
  assert.deepEqual(await owners('frontend/a', 'dir/with#hash'), { users: ['dora'], teams: ['platform'] });
});

test('ten thousand hostile rules are cheap', async () => {
  const line = (index: number) => `(.*a){30}(x|y|.{0,500})${index} @user${index}\n`;
  const text = Array.from({ length: 10_000 }, (_, index) => line(index)).join('');
  const startedAt = performance.now();
  const rules = parseOwnerRules(text);
  const paths = Array.from({ length: 500 }, (_, index) => `${'a/'.repeat(100)}${index}`);
  const found = await ownersOf(rules, paths, 'ada');
  assert.deepEqual(found.teams, []);
  assert.equal(rules.length, 2_000);
  assert.ok(performance.now() - startedAt < 20_000);
});
