import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hunkEndingAt } from '../../../../src/git/format/diffs/hunk-at-line.ts';
import { lineAfter } from '../../../../src/git/format/diffs/line-after.ts';
import type { DiffLine } from '../../../../src/git/format/diffs/model.ts';
import { CUT_MARK, parseHunks } from '../../../../src/git/format/diffs/parse-hunks.ts';
import { printHunk } from '../../../../src/git/format/diffs/print-hunk.ts';
import { printWholeChange } from '../../../../src/git/format/diffs/whole-change.ts';
import { GIT_LIMITS } from '../../../../src/git/limits.ts';

// Runs once: no outcome depends on the database.

const TEXT = `@@ -2,5 +2,6 @@ function main() {
 two
-three
-four
+4
+4.1
+4.2
 five
 six
@@ -20 +20,0 @@
-twenty
@@ -30,0 +31,2 @@ end
+a
+b
\\ No newline at end of file
`;

function shortForm({ kind, oldNumber, newNumber, text, hasLineFeed }: DiffLine): string {
  return `${kind} ${oldNumber} ${newNumber} ${text}${hasLineFeed ? '' : ' (end)'}`;
}

test('hunks are parsed into lines with their numbers on both sides', () => {
  const hunks = parseHunks(TEXT);

  assert.deepEqual(
    hunks.map(({ old, new: now, heading }) => [old, now, heading]),
    [
      [{ start: 2, count: 5 }, { start: 2, count: 6 }, 'function main() {'],
      [{ start: 20, count: 1 }, { start: 20, count: 0 }, ''],
      [{ start: 30, count: 0 }, { start: 31, count: 2 }, 'end'],
    ],
  );
  assert.deepEqual(
    hunks.flatMap(({ lines }) => lines.map(shortForm)),
    [
      'context 2 2 two',
      'removed 3 null three',
      'removed 4 null four',
      'added null 3 4',
      'added null 4 4.1',
      'added null 5 4.2',
      'context 5 6 five',
      'context 6 7 six',
      'removed 20 null twenty',
      'added null 31 a',
      'added null 32 b (end)',
    ],
  );
  assert.equal(`${hunks.map(printHunk).join('\n')}\n`, TEXT);
  assert.deepEqual(parseHunks(''), []);
});

test('lines that look like headers, and carriage returns, belong to the text of a line', () => {
  const text =
    '@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\r\n-\\ x\r\r\n+-\n++++ b/x\u2028\n\\ No newline at end of file\n';

  const [hunk, ...others] = parseHunks(text);

  assert.deepEqual(others, []);
  assert.deepEqual(hunk?.lines.map(shortForm), [
    'removed 1 null @@ -1 +1 @@\r',
    'removed 2 null \\ x\r\r',
    'added null 1 -',
    'added null 2 +++ b/x\u2028 (end)',
  ]);
});

test('a NUL is shown as another character', () => {
  assert.equal(parseHunks('@@ -0,0 +1 @@\n+a\0b\n')[0]?.lines[0]?.text, 'a\ufffdb');
});

test('a very long line is cut, with a mark, and never inside a character', () => {
  const max = GIT_LIMITS.diffLineCharsMax;
  const textOf = (line: string) => parseHunks(`@@ -1 +0,0 @@\n-${line}\n`)[0]?.lines[0]?.text;

  assert.equal(textOf('x'.repeat(max)), 'x'.repeat(max));
  assert.equal(textOf('x'.repeat(max + 1)), `${'x'.repeat(max)}${CUT_MARK}`);
  assert.equal(textOf(`${'x'.repeat(max - 1)}\u{1f600}`), `${'x'.repeat(max - 1)}${CUT_MARK}`);
  assert.equal(textOf(`${'x'.repeat(max - 2)}\u{1f600}`), `${'x'.repeat(max - 2)}\u{1f600}`);
});

const CUTS: readonly (readonly [
  side: 'old' | 'new',
  line: number,
  linesBefore: number,
  hunk: string | null,
])[] = [
  ['old', 1, 3, null],
  ['old', 2, 3, '@@ -2 +2 @@ function main() {\n two'],
  ['new', 2, 3, '@@ -2 +2 @@ function main() {\n two'],
  ['old', 4, 3, '@@ -2,3 +2 @@ function main() {\n two\n-three\n-four'],
  ['old', 4, 1, '@@ -3,2 +2,0 @@\n-three\n-four'],
  ['new', 5, 2, '@@ -4,0 +3,3 @@\n+4\n+4.1\n+4.2'],
  ['new', 5, 3, '@@ -4 +3,3 @@\n-four\n+4\n+4.1\n+4.2'],
  ['old', 6, 1, '@@ -5,2 +6,2 @@\n five\n six'],
  ['new', 6, 0, '@@ -5 +6 @@\n five'],
  ['new', 8, 3, null],
  ['old', 20, 3, '@@ -20 +20,0 @@\n-twenty'],
  ['new', 21, 3, null],
  ['old', 30, 3, null],
  ['new', 32, 3, '@@ -30,0 +31,2 @@ end\n+a\n+b\n\\ No newline at end of file'],
  ['new', 0, 3, null],
  ['new', 1e9, 3, null],
];

test('the hunk of a commented line ends at this line and has a few lines before it', () => {
  for (const [side, line, linesBefore, expected] of CUTS) {
    const hunk = hunkEndingAt(parseHunks(TEXT), { side, line }, { linesBefore });
    assert.equal(hunk === undefined ? null : printHunk(hunk), expected, `${side} ${line} ${linesBefore}`);
  }
});

test('a line has the same number before the first change, another one behind it, and none if it changed', () => {
  const hunks = parseHunks(TEXT);
  const moved = [1, 2, 3, 4, 5, 6, 7, 19, 20, 21, 29, 30, 31, 1_000].map((line) => lineAfter(hunks, line));

  assert.deepEqual(moved, [1, 2, null, null, 6, 7, 8, 20, null, 21, 29, 30, 33, 1_002]);
  assert.equal(lineAfter([], 7), 7);
});

/** Lines from few letters, so that equal ones repeat. */
const lines = fc.array(fc.constantFrom('a', 'b', '', '+', '@@ -1 +1 @@', '\\ x', 'c\r'), { maxLength: 12 });
const text = fc.tuple(lines, fc.boolean()).map(([all, isEnded]) =>
  all
    .map((line) => `${line}\n`)
    .join('')
    .slice(0, isEnded ? undefined : -1),
);

test('a whole change removes all lines of one text and adds all of the other', () => {
  assert.equal(printWholeChange('', ''), '');
  assert.equal(printWholeChange('', 'a\n'), '@@ -0,0 +1 @@\n+a\n');
  assert.equal(printWholeChange('a\nb', ''), '@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n');
  assert.equal(printWholeChange('a\n', 'b\nc\n'), '@@ -1 +1,2 @@\n-a\n+b\n+c\n');
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = parseHunks(printWholeChange(before, after));
      const sideOf = (kind: DiffLine['kind']) =>
        hunks
          .flatMap((hunk) => hunk.lines)
          .filter((line) => line.kind === kind)
          .map((line) => line.text + (line.hasLineFeed ? '\n' : ''))
          .join('');
      assert.equal(sideOf('removed'), before);
      assert.equal(sideOf('added'), after);
    }),
  );
});
