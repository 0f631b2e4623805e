import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGlob, StepBudget } from '../../../src/base/core/text/globs.ts';
import { withoutEndSlashes, withoutOuterSlashes } from '../../../src/base/core/text/text.ts';
import { wordsOfTexts } from '../../../src/base/text-search/words.ts';
import { parseGitmodules } from '../../../src/code/contents/submodules.ts';
import { parseSection } from '../../../src/code/editorconfig/section-pattern.ts';
import { decodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { parseSignature } from '../../../src/git/format/signature-line.ts';
import { Attributes } from '../../../src/hosting/languages/attributes.ts';
import { expand } from '../../../src/hosting/template-repositories/expand.ts';
import { addressesOf } from '../../../src/http/app.ts';
import { isMatch } from '../../../src/http/conditional.ts';
import { LongMembers } from '../../../src/http/long-member.ts';
import { filesNamedIn } from '../../../src/notes/notebooks/import/named-files.ts';
import { findRenames } from '../../../src/notes/notebooks/index/renames.ts';
import { distance } from '../../../src/notes/notebooks/writing/distance.ts';
import { parseContext } from '../../../src/tracker/markdown/context.ts';
import { findReferences } from '../../../src/tracker/references/find.ts';
import { assertLinear } from '../../support/cpu-time.ts';

// Runs once: no outcome depends on the database.

const FROM = 8 * 1024;
const TO = 16 * FROM;

/** Parsers of what callers send, and pieces that are costly for them. */
const PARSERS: readonly [what: string, parse: (text: string) => unknown, pieces: readonly string[]][] = [
  ['addresses', (text) => withoutOuterSlashes(`${text}x`), ['/']],
  [
    'contexts of texts',
    (text) =>
      parseContext(`a${text}b`, {
        addresses: addressesOf('http://localhost'),
        isWiki: false,
        branchPath: `a${text}b`,
      }),
    ['/', 'a/', ' '],
  ],
  [
    'submodules',
    (text) => parseGitmodules(`[submodule "a"]\npath = a${text}b\nurl = c`),
    [' ', '\t', '\n', '\u2028', '\n ', '\npath = a'],
  ],
  ['authors', (text) => parseSignature(`a${text}b <a@b> 1 +0000`), ['1', '1 ', ' ', '<', '>']],
  ['dates', (text) => parseSignature(`a <a@b> ${text}b`), ['1', '1 ', ' ']],
  [
    'references',
    (text) => findReferences(text, { baseUrl: 'http://localhost' }),
    ['@a', '@a ', 'a/', 'a/b#', '#1 ', '://', 'http://a)', '1234567', '@a/a'],
  ],
  ['words', (text) => wordsOfTexts({ text }), ['a', 'a ', '漢', '\u0301', 'ﷺ', '😀']],
  ['attributes of languages', (text) => new Attributes(text).of('a/b'), ['* binary\n', '[', '**/', '*a']],
  ['named files', (text) => filesNamedIn(text), ['](', '](<', ']( ', '](?', '](%']],
  ['templates', (text) => expand(text, new Map([['YEAR', '2030']]), 10 * TO), ['$', '${', '$a', '$YEAR ']],
  ['tags', (text) => isMatch(text, new Set(['x'])), ['"', 'W/"', '",']],
  [
    'armor',
    (text) =>
      decodeArmor(`-----BEGIN PGP SIGNATURE-----\n${text}\n-----END PGP SIGNATURE-----`, 'PGP SIGNATURE'),
    ['A', '\n', 'A: b\n', ' '],
  ],
  ['bodies', longMembersOf, ['"a":', '[', '{"a":', '"content":"a",', '"content":"\\u0041', '\\']],
];

function longMembersOf(text: string): string {
  const members = new LongMembers(['content'], { begin: () => '1', write: () => {} }, { restBytesMax: TO });
  members.push(Buffer.from(`{${text}`));
  return members.rest();
}

for (const [what, parse, pieces] of PARSERS)
  test(`H9: the time of reading grows no faster than what is read: ${what}`, () => {
    for (const piece of pieces)
      assertLinear((size) => piece.repeat(size / piece.length), parse, { from: FROM, to: TO });
  });

test('H9: the time of matching moved notes grows no faster than their number', () => {
  const files = (count: number, path: (number: number) => string) =>
    Array.from({ length: count }, (_, number) => ({ path: path(number), oid: 'same', content: '' }));
  for (const after of [(n: number) => `b/${n}`, (n: number) => `b/x${n}`])
    assertLinear(
      (count) => ({ before: files(count, (n) => `a/${n}`), after: files(count, after) }),
      (moved) => findRenames(moved.before, moved.after, []),
      { from: 2_000, to: 32_000 },
    );
  assertLinear(
    (chars) => chars,
    (chars) => distance('a\n'.repeat(chars / 2), 'b\n'.repeat(chars / 2)),
    { from: FROM, to: TO },
  );
});

test('H9: equal notes that moved keep their order, and their names first', () => {
  const file = (path: string) => ({ path, oid: 'same', content: '' });
  const renames = findRenames(['a/1', 'a/2', 'a/3'].map(file), ['b/x', 'b/2', 'b/y'].map(file), []);
  assert.deepEqual(
    renames.map(({ from, to }) => `${from.path} ${to.path}`),
    ['a/2 b/2', 'a/1 b/x', 'a/3 b/y'],
  );
});

test('H9: slashes at the ends of a text are dropped, and others stay', () => {
  assert.equal(withoutOuterSlashes('//a//b//'), 'a//b');
  assert.equal(withoutEndSlashes('//a//'), '//a');
  assert.deepEqual([withoutOuterSlashes('//'), withoutEndSlashes('')], ['', '']);
});

test('H9: braces within braces are expanded a bounded number of times', () => {
  const nested = (depth: number) => `${'{'.repeat(depth)}a${'}'.repeat(depth)}`;
  const options = { alternativesMax: 32 };
  assert.equal(parseGlob(nested(100), options)?.[0]?.matches('a', new StepBudget(100)), true);
  assert.equal(parseGlob(nested(1_000), options), undefined);
});

test('H9: a set in a pattern counts all of its members, and a section all that its parser reads', () => {
  const [glob] = parseGlob(`*[${'b'.repeat(200)}]`, { alternativesMax: 1 }) ?? [];
  const budget = new StepBudget(100_000);
  glob?.matches('c'.repeat(300), budget);
  assert.ok(budget.spent > 200 * 300, `${budget.spent} steps`);
  const section = `${'['.repeat(1_000)}/`;
  assert.throws(() => parseSection(section, new StepBudget(100_000)), /take too long to match/);
});
