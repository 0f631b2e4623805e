import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { StepBudget } from '../../../../../src/base/core/text/globs.ts';
import { CODE_OWNER_LIMITS } from '../../../../../src/tracker/pulls/reviews/owners/limits.ts';
import { LinearPattern } from '../../../../../src/tracker/pulls/reviews/owners/pattern.ts';
import { ownersOf, parseOwnerRules } from '../../../../../src/tracker/pulls/reviews/owners/rules.ts';

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

/** Counts the steps of all comparisons from now on. */
function countingSteps(t: TestContext): () => number {
  const { spend } = StepBudget.prototype;
  let count = 0;
  StepBudget.prototype.spend = function (steps) {
    count += steps;
    spend.call(this, steps);
  };
  t.after(() => {
    StepBudget.prototype.spend = spend;
  });
  return () => count;
}

const LONG_PATHS = Array.from({ length: 500 }, (_, index) => `${'a/'.repeat(100)}${index}`);

test('of ten thousand hostile rules, a limited number counts, and they take a limited number of steps', async (t) => {
  const line = (index: number) => `(.*a){30}(x|y|.{0,500})z${index} @user${index}\n`;
  const rules = parseOwnerRules(Array.from({ length: 10_000 }, (_, index) => line(index)).join(''));
  assert.equal(rules.length, CODE_OWNER_LIMITS.codeOwnerRulesMax);
  const steps = countingSteps(t);
  assert.deepEqual(await ownersOf(rules, LONG_PATHS, 'ada'), { users: [], teams: [] });
  const { codeOwnerStepsMax, codeOwnerStepsPerPatternMax } = CODE_OWNER_LIMITS;
  assert.ok(steps() <= codeOwnerStepsMax + codeOwnerStepsPerPatternMax, `${steps()}`);
});

test('when the steps are used up, the owners count who were found before', async (t) => {
  const costly = Array.from({ length: 1_000 }, (_, index) => `(.*a){50}${index} @cyd\n`).join('');
  const rules = parseOwnerRules(`.* @ada\n${costly}.* @ben\n`);
  const steps = countingSteps(t);
  assert.deepEqual(await ownersOf(rules, LONG_PATHS, 'acme'), { users: ['ada'], teams: [] });
  assert.ok(steps() > CODE_OWNER_LIMITS.codeOwnerStepsMax);
});

test('the server does other work while it compares files with hostile rules', async () => {
  const rules = parseOwnerRules(
    Array.from({ length: 100 }, (_, index) => `(.*a){50}${index} @cyd\n`).join(''),
  );
  let isDone = false;
  const found = ownersOf(rules, LONG_PATHS, 'acme').finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await setImmediate();
  assert.deepEqual((await found).users, []);
  const { codeOwnerStepsMax, codeOwnerStepsInOneGo } = CODE_OWNER_LIMITS;
  assert.ok(turns >= codeOwnerStepsMax / codeOwnerStepsInOneGo / 2, `${turns}`);
});
