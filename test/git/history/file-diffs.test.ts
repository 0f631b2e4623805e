import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { hunkEndingAt } from '../../../src/git/format/diffs/hunk-at-line.ts';
import { lineAfter } from '../../../src/git/format/diffs/line-after.ts';
import type { DiffSide, Hunk } from '../../../src/git/format/diffs/model.ts';
import { parseHunks } from '../../../src/git/format/diffs/parse-hunks.ts';
import { printHunk } from '../../../src/git/format/diffs/print-hunk.ts';
import type { FileDiff, Whitespace } from '../../../src/git/interface/file-diffs.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { gitBytes } from '../git-fixture.ts';
import { Random } from '../merges/random-merges.ts';
import { countingProcesses } from './counting-processes.ts';
import { type Contents, editedText, importVersions, randomText } from './random-files.ts';

// Runs once: no outcome depends on the database.

const FILES = 40;
const CONTEXTS = [0, 1, 3, 100];
const EXACT = { whitespace: 'show-all', contextLines: 3 } as const;

function filesOf(texts: readonly string[]): Contents {
  return new Map(texts.map((text, index) => [`f${index}`, { mode: '100644', text }]));
}

async function importTwo(t: TestContext, before: Contents, after: Contents) {
  const imported = await importVersions(t, [before, after]);
  const [from, to] = imported.commits;
  assert.ok(from !== undefined && to !== undefined);
  const { history } = imported.storage;
  const sources = { from: from.snapshot, to: to.snapshot };
  const { files } = await history.compareFiles(from, to, { whitespace: 'show-all' });
  const byPath = new Map(files.map((file) => [file.path, file]));
  const diff = (path: string, options: { whitespace: Whitespace; contextLines: number } = EXACT) => {
    const file = byPath.get(path);
    return file === undefined ? undefined : history.diffOfFile(sources, file, options);
  };
  return { ...imported, from, to, sources, files, diff };
}

function hunksOf(diff: FileDiff | undefined): string {
  assert.ok(diff?.kind === 'text');
  return diff.hunks;
}

/** Returns the hunks that git prints for each file of two commits. */
function hunksByGit(folder: string, flags: readonly string[], from: string, to: string): Map<string, string> {
  const printed = gitBytes(folder, ['diff', '--no-renames', ...flags, from, to]).toString();
  const sections = `\n${printed}`.split(/\ndiff --git a\/(\S+) .*\n/);
  const hunks = new Map<string, string>();
  for (let at = 1; at < sections.length; at += 2) {
    const section = sections[at + 1] ?? '';
    const start = section.search(/(?<=\n|^)@@/);
    hunks.set(sections[at] ?? '', start === -1 ? '' : `${section.slice(start).replace(/\n$/, '')}\n`);
  }
  return hunks;
}

/** Numbers the lines of a text, replaces those that hunks change, and returns the numbers that remain. */
function numbersAfter(before: string, hunks: readonly Hunk[]): (number | null)[] {
  const numbers: (number | null)[] = linesOf(before).map((_, index) => index + 1);
  for (const { new: now, old, lines } of hunks) {
    const at = now.count === 0 ? now.start : now.start - 1;
    const added = lines.filter(({ kind }) => kind !== 'removed');
    numbers.splice(at, old.count, ...added.map(({ oldNumber }) => oldNumber));
  }
  return numbers;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Makes a text of the lines that one side of the hunks has, and of the lines between them. */
function sideOf(side: DiffSide, hunks: readonly Hunk[], text: string): string {
  const lines = linesOf(text);
  for (const hunk of hunks)
    for (const line of hunk.lines) {
      const number = side === 'old' ? line.oldNumber : line.newNumber;
      if (number !== null) lines[number - 1] = line.text + (line.hasLineFeed ? '\n' : '');
    }
  return lines.join('');
}

test('the diffs of random texts are those of git, and their lines have the numbers of both texts', async (t) => {
  const random = new Random(5);
  const before = Array.from({ length: FILES }, () => randomText(random));
  const after = before.map((text) => (random.below(6) === 0 ? randomText(random) : editedText(random, text)));
  const { gitFolder, oids, files, diff } = await importTwo(t, filesOf(before), filesOf(after));
  const [from = '', to = ''] = oids;
  let [moved, gone, cuts] = [0, 0, 0];
  for (const contextLines of CONTEXTS) {
    const expected = hunksByGit(gitFolder, [`-U${contextLines}`], from, to);
    assert.equal(files.length, expected.size);
    for (const { path } of files) {
      const text = hunksOf(await diff(path, { whitespace: 'show-all', contextLines }));
      assert.equal(text, expected.get(path), path);
      const hunks = parseHunks(text);
      assert.equal(hunks.map((hunk) => `${printHunk(hunk)}\n`).join(''), text);
      const index = Number(path.slice(1));
      const [old = '', now = ''] = [before[index], after[index]];
      assert.equal(sideOf('old', hunks, old), old);
      assert.equal(sideOf('new', hunks, now), now);

      const numbers = numbersAfter(old, hunks);
      assert.equal(numbers.length, linesOf(now).length);
      for (const line of linesOf(old).keys()) {
        const at = numbers.indexOf(line + 1);
        assert.equal(lineAfter(hunks, line + 1), at === -1 ? null : at + 1, `${path}:${line + 1}`);
        if (at === -1) gone += 1;
        else moved += at === line ? 0 : 1;
      }
      cuts += checkCuts(hunks);
    }
  }
  t.diagnostic(`${moved} lines moved, ${gone} are gone, ${cuts} cuts`);
  assert.ok(moved > 500 && gone > 150 && cuts > 1_000);
});

/** Cuts at each line, and checks the result against the whole hunk. */
function checkCuts(hunks: readonly Hunk[]): number {
  let cuts = 0;
  for (const hunk of hunks)
    for (const [index, line] of hunk.lines.entries())
      for (const side of ['old', 'new'] as const) {
        const number = side === 'old' ? line.oldNumber : line.newNumber;
        if (number === null) continue;
        const cut = hunkEndingAt(hunks, { side, line: number });
        assert.ok(cut !== undefined);
        const expected = hunk.lines.slice(Math.max(0, index - GIT_LIMITS.commentedLinesBeforeMax), index + 1);
        assert.deepEqual(parseHunks(printHunk(cut)), [cut]);
        assert.deepEqual(cut.lines, expected);
        cuts += 1;
      }
  return cuts;
}

test('ignoring blanks hides changes of them, and lines keep their numbers', async (t) => {
  const random = new Random(6);
  const before = Array.from({ length: FILES }, () => randomText(random));
  const after = before.map((text) => editedText(random, text));
  const { gitFolder, oids, diff } = await importTwo(t, filesOf(before), filesOf(after));
  const [from = '', to = ''] = oids;
  for (const [whitespace, flag] of [
    ['ignore-all', '-w'],
    ['ignore-change', '-b'],
    ['ignore-eol', '--ignore-space-at-eol'],
  ] as const) {
    const expected = hunksByGit(gitFolder, [flag], from, to);
    for (const index of before.keys()) {
      const found = await diff(`f${index}`, { whitespace, contextLines: 3 });
      if (found !== undefined) assert.equal(hunksOf(found), expected.get(`f${index}`) ?? '');
    }
  }
});

test('files that are new, gone, links, submodules, empty or not UTF-8 have the diff that git prints', async (t) => {
  const [one, other] = ['1', '2'].map((text) => ({ mode: '160000', text }));
  assert.ok(one !== undefined && other !== undefined);
  const file = (text: string) => ({ mode: '100644', text });
  const before = new Map([
    ['gone', file('a\n')],
    ['latin', file('caf\xe9\n')],
    ['link', { mode: '120000', text: 'here' }],
    ['mode', file('x\n')],
    ['submodule', one],
    ['submoduleGone', one],
  ]);
  const after = new Map([
    ['latin', file('caf\xe9s\n')],
    ['link', { mode: '120000', text: 'there' }],
    ['mode', { mode: '100755', text: 'x\n' }],
    ['newEmpty', file('')],
    ['newFile', file('\n\nb\r\nc')],
    ['newLink', { mode: '120000', text: 'x' }],
    ['submodule', other],
  ]);
  for (const [from, to] of [
    [before, after],
    [after, before],
  ] as const) {
    const { gitFolder, oids, diff, files } = await importTwo(t, from, to);
    const expected = hunksByGit(gitFolder, [], oids[0] ?? '', oids[1] ?? '');
    assert.equal(files.length, expected.size);
    for (const { path } of files) assert.equal(hunksOf(await diff(path)), expected.get(path), path);
  }
});

test('binary and too large files have no hunks', async (t) => {
  const large = 'x\n'.repeat(GIT_LIMITS.fileDiffBytesMax / 2 + 1);
  const file = (text: string) => ({ mode: '100644', text });
  const { diff } = await importTwo(
    t,
    new Map([
      ['binary', file('a\0')],
      ['large', file('')],
      ['largeText', file('b\n')],
      ['manyLines', file('\n')],
      ['manyLinesLess', file('\n'.repeat(GIT_LIMITS.fileDiffLinesMax - 1))],
      ['manyLinesGone', file('\n'.repeat(GIT_LIMITS.fileDiffLinesMax))],
      ['rewritten', file(large)],
    ]),
    new Map([
      ['binary', file('a\0b')],
      ['large', file(large)],
      ['largeBinary', file(`\0${large}`)],
      ['largeNew', file(large)],
      ['lateNul', file(`${'x'.repeat(8_000)}\0`)],
      ['largeText', file('c\n')],
      ['manyLines', file('\n'.repeat(GIT_LIMITS.fileDiffLinesMax + 1))],
      ['newBinary', file('x\0')],
      ['rewritten', file(large.replaceAll('x', 'y'))],
    ]),
  );
  const kinds = async (...paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await diff(path))?.kind));

  assert.deepEqual(await kinds('binary', 'newBinary', 'largeBinary'), ['binary', 'binary', 'binary']);
  assert.deepEqual(await kinds('large', 'largeNew', 'rewritten'), ['too_large', 'too_large', 'too_large']);
  assert.deepEqual(await kinds('manyLines', 'manyLinesGone'), ['too_large', 'too_large']);
  assert.deepEqual(await kinds('largeText', 'lateNul', 'manyLinesLess'), ['text', 'text', 'text']);
});

test('the diff of a file is found once for all comments on it', async (t) => {
  const { diff } = await importTwo(t, filesOf(['a\n']), filesOf(['b\n', 'c\n']));
  const several = () => Promise.all([diff('f0'), diff('f0'), diff('f1')]);
  // Afterwards, the files are in memory.
  await diff('f0', { whitespace: 'show-all', contextLines: 0 });

  const first = await countingProcesses(t, several);
  const later = await countingProcesses(t, several);

  assert.deepEqual(first.result.map(hunksOf), [
    '@@ -1 +1 @@\n-a\n+b\n',
    '@@ -1 +1 @@\n-a\n+b\n',
    '@@ -0,0 +1 @@\n+c\n',
  ]);
  assert.deepEqual(later.result, first.result);
  assert.equal(later.processes, 0);
});

test('a changed file is found by its path on either side', async (t) => {
  const text = 'one\ntwo\nthree\nfour\nfive\n';
  const { storage, from, to, files } = await importTwo(
    t,
    new Map([
      ['caf\xe9', { mode: '100644', text }],
      ['gone', { mode: '100644', text: 'x' }],
      ['same', { mode: '100644', text: 'y' }],
    ]),
    new Map([
      ['a', { mode: '100644', text: 'z' }],
      ['moved', { mode: '100644', text: `${text}six\n` }],
      ['same', { mode: '100644', text: 'y' }],
    ]),
  );
  const find = async (side: DiffSide, path: string) =>
    (await storage.history.findChangedFile(from, to, { side, path }, { whitespace: 'show-all' }))?.path;

  assert.deepEqual(
    files.map(({ path, previousPath, status }) => [path, previousPath, status]),
    [
      ['a', null, 'added'],
      ['gone', null, 'removed'],
      ['moved', '"caf\\351"', 'renamed'],
    ],
  );
  assert.equal(await find('old', '"caf\\351"'), 'moved');
  assert.equal(await find('new', 'moved'), 'moved');
  assert.equal(await find('old', 'gone'), 'gone');
  assert.equal(await find('new', 'a'), 'a');
  for (const [side, path] of [
    ['old', 'moved'],
    ['new', '"caf\\351"'],
    ['new', 'gone'],
    ['old', 'a'],
    ['old', 'same'],
    ['new', 'same'],
    ['new', ''],
  ] as const) {
    assert.equal(await find(side, path), undefined, `${side} ${path}`);
  }
});

test('an id that is not a blob of the repository is missing', async (t) => {
  const { storage, sources, gitFolder, files, oids } = await importTwo(t, filesOf(['a\n']), filesOf(['b\n']));
  const [file] = files;
  const tree = gitBytes(gitFolder, ['rev-parse', `${oids[0]}^{tree}`])
    .toString()
    .trim();
  for (const oid of [tree, '0'.repeat(40), 'f'.repeat(40), '--output=x', 'HEAD:f0'])
    for (const changed of [
      { before: { mode: '100644', oid }, after: file?.after ?? null },
      { before: null, after: { mode: '100644', oid } },
    ] as const)
      await assert.rejects(storage.history.diffOfFile(sources, changed, EXACT), (error) => {
        return error instanceof ForgeError && error.failure.kind === 'not_found';
      });
});
