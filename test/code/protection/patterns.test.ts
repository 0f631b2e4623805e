import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepBudget } from '../../../src/base/core/text/globs.ts';
import { FilePatterns, PatternRules } from '../../../src/code/protection/patterns.ts';
import { cpuMs } from '../../support/cpu-time.ts';

// Runs once: no outcome depends on the database.

const budget = () => new StepBudget(1_000_000);

test('patterns of names match as those of the reference', () => {
  const cases: [pattern: string, matching: readonly string[], others: readonly string[]][] = [
    ['main', ['main', 'MAIN'], ['mai', 'main2', 'a/main']],
    ['*', ['main', 'é'], ['a/b', '/']],
    ['**', ['main', 'a/b'], []],
    ['release/*', ['release/1', 'release/'], ['release', 'release/1/a', 'Release/1']],
    ['release/**', ['release/1', 'release/1/a'], ['release']],
    ['v?', ['v1', 'vé'], ['v', 'v12', 'v/']],
    ['v[0-9]', ['v0', 'v9'], ['va', 'v10']],
    ['v[!0-9]', ['va'], ['v0', 'v/']],
    ['{hot,bug}fix', ['hotfix', 'bugfix'], ['fix', 'hot']],
    ['a{b,c{d,e}}', ['ab', 'acd', 'ace'], ['ac', 'a']],
    ['a\\*', ['a*'], ['ab', 'a']],
    ['.+', ['.+'], ['ab']],
  ];
  for (const [pattern, matching, others] of cases) {
    const rules = new PatternRules([{ pattern }]);
    for (const name of matching) assert.ok(rules.firstMatch(name, budget()), `${pattern} matches ${name}`);
    for (const name of others) assert.ok(!rules.firstMatch(name, budget()), `${pattern} leaves ${name}`);
  }
});

test('a name in its own spelling comes before other spellings, and those before globs', () => {
  const rules = new PatternRules([{ pattern: 'm*' }, { pattern: 'Main' }, { pattern: 'main' }]);
  assert.equal(rules.firstMatch('main', budget())?.pattern, 'main');
  assert.equal(rules.firstMatch('MAIN', budget())?.pattern, 'Main');
  assert.equal(rules.firstMatch('mains', budget())?.pattern, 'm*');
  assert.deepEqual(
    rules.allMatches('main', budget()).map(({ pattern }) => pattern),
    ['main', 'm*'],
  );
});

test('patterns of files match in any case, from the root, with or without a slash before them', () => {
  const cases: [patterns: string, matching: readonly string[], others: readonly string[]][] = [
    ['', [], ['a', '']],
    [' ; ;', [], ['a', ' ']],
    ['LICENSE', ['license', 'License'], ['a/license', 'license.md']],
    ['/docs/**', ['docs/a', 'DOCS/a/b'], ['docs', 'a/docs/b']],
    ['*.md; docs/*', ['a.md', 'docs/a.b'], ['a/b.md', 'docs/a/b']],
    ['**/*.md', ['a/b.md', 'a/b/c.md'], ['a.txt']],
  ];
  for (const [text, matching, others] of cases) {
    const patterns = new FilePatterns(text);
    for (const path of matching) assert.ok(patterns.matches(path, budget()), `${text} matches ${path}`);
    for (const path of others) assert.ok(!patterns.matches(path, budget()), `${text} leaves ${path}`);
  }
});

test('comparing ends with an error when its budget is used up', () => {
  const pattern = `${'*a'.repeat(100)}b`;
  const rules = new PatternRules(Array.from({ length: 100 }, (_, at) => ({ pattern: `${pattern}${at}` })));
  const startedAt = cpuMs();
  assert.throws(() => rules.firstMatch('a'.repeat(1_000), budget()), /too long to match/);
  assert.ok(cpuMs() - startedAt < 5_000);
  assert.throws(
    () => new FilePatterns(pattern).matches('a'.repeat(4_000), new StepBudget(1_000)),
    /too long/,
  );
});
