import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FileDiff, FileDifference, Whitespace } from '../../../src/git/interface/file-diffs.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { Random } from '../merges/random-merges.ts';
import { countingProcesses } from './counting-processes.ts';
import { type Contents, editedFiles, importVersions, randomFiles } from './random-files.ts';

// Runs once: no outcome depends on the database.

const ALL = { whitespace: 'show-all', contextLines: 3, filesMax: 1_000 } as const;

async function importTwo(t: TestContext, before: Contents, after: Contents) {
  const { commits, storage } = await importVersions(t, [before, after]);
  const [from, to] = commits;
  assert.ok(from !== undefined && to !== undefined);
  return { from, to, history: storage.history };
}

const text = (lines: string): Contents extends ReadonlyMap<string, infer File> ? File : never => ({
  mode: '100644',
  text: lines,
});

/** Whether a file becomes a link, or a submodule becomes a file, which git shows as a removal and an addition. */
function changesType({ before, after }: FileDifference): boolean {
  return before !== null && after !== null && before.mode.slice(0, 2) !== after.mode.slice(0, 2);
}

test('several files are compared in one process, and each diff is that of the file alone', async (t) => {
  const random = new Random(11);
  let [compared, renamed] = [0, 0];
  for (let round = 0; round < 4; round += 1) {
    const before = randomFiles(random);
    const { from, to, history } = await importTwo(t, before, editedFiles(random, before));
    for (const whitespace of ['show-all', 'ignore-all'] satisfies Whitespace[]) {
      const { files } = await history.compareFiles(from, to, { whitespace });
      const find = () => history.diffsOfFiles(from, to, { ...ALL, whitespace });
      const { result: found, processes } = await countingProcesses(t, find);
      assert.equal(processes, 1);
      const sources = { from: from.snapshot, to: to.snapshot };
      for (const file of files) {
        if (changesType(file)) continue;
        const alone = await history.diffOfFile(sources, file, { whitespace, contextLines: 3 });
        assert.deepEqual(withoutHeadings(found.get(file.path)), withoutHeadings(alone), file.path);
        compared += 1;
        renamed += file.status === 'renamed' ? 1 : 0;
      }
    }
  }
  t.diagnostic(`${compared} files, ${renamed} renamed`);
  assert.ok(compared > 80 && renamed > 5);
});

/** A whole file that is new or gone has no heading in one of the two forms. */
function withoutHeadings(diff: FileDiff | undefined): FileDiff | undefined {
  return diff?.kind === 'text'
    ? { kind: 'text', hunks: diff.hunks.replaceAll(/^(@@ .* @@).*$/gm, '$1') }
    : diff;
}

test('a first commit is compared with nothing', async (t) => {
  const { to, history } = await importTwo(t, new Map(), new Map([['a', text('one\n')]]));
  const { files, total } = await history.compareFiles(null, to, { whitespace: 'show-all' });
  assert.deepEqual(
    files.map(({ path, status }) => [path, status]),
    [['a', 'added']],
  );
  assert.deepEqual(total, { files: 1, additions: 1, deletions: 0 });
  assert.deepEqual(
    await history.diffsOfFiles(null, to, ALL),
    new Map([['a', { kind: 'text', hunks: '@@ -0,0 +1 @@\n+one\n' }]]),
  );
});

test('a file with too many changes does not hide the files behind it', async (t) => {
  const large = 'x'
    .repeat(99)
    .concat('\n')
    .repeat(GIT_LIMITS.severalDiffsFileBytesMax / 50);
  const after = new Map([
    ['a', text('one\n')],
    ['b', text(large)],
    ['c', text('two\n')],
  ]);
  const { from, to, history } = await importTwo(t, new Map(), after);
  const found = await history.diffsOfFiles(from, to, ALL);
  assert.deepEqual([...found.keys()], ['a', 'b', 'c']);
  assert.equal(found.get('b')?.kind, 'too_large');
  assert.equal(found.get('c')?.kind, 'text');
});

test('files behind the limits are missing', async (t) => {
  const lines = 'y'
    .repeat(99)
    .concat('\n')
    .repeat(GIT_LIMITS.severalDiffsFileBytesMax / 200);
  const count = (2 * GIT_LIMITS.severalDiffsBytesMax) / lines.length;
  const after = new Map(Array.from({ length: count }, (_, index) => [`f${100 + index}`, text(lines)]));
  const { from, to, history } = await importTwo(t, new Map(), after);
  const found = await history.diffsOfFiles(from, to, ALL);
  assert.ok(found.size > 0 && found.size < count, `${found.size}`);
  const first = await history.diffsOfFiles(from, to, { ...ALL, filesMax: 2 });
  assert.deepEqual([...first.keys()], ['f100', 'f101']);
});
