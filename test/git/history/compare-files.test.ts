import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { RequestCaller, runFor } from '../../../src/base/core/fairness/caller.ts';
import type { FileState, Oid } from '../../../src/git/format/model.ts';
import { bytesOfPath, pathOfBytes } from '../../../src/git/format/name-bytes.ts';
import type { FileDifference, Whitespace } from '../../../src/git/interface/file-diffs.ts';
import type { CommitOf } from '../../../src/git/interface/snapshot.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import {
  buildCommit,
  commitFilesTo,
  commitTo,
  git,
  gitBytes,
  MAIN,
  NOTHING_MORE,
  openGitFixture,
  packOf,
} from '../git-fixture.ts';
import { Random } from '../merges/random-merges.ts';
import { countingProcesses } from './counting-processes.ts';
import { type Contents, editedFiles, importVersions, randomFiles } from './random-files.ts';

// Runs once: no outcome depends on the database.

const FLAGS: Readonly<Record<Whitespace, readonly string[]>> = {
  'show-all': [],
  'ignore-all': ['-w'],
  'ignore-change': ['-b'],
  'ignore-eol': ['--ignore-space-at-eol'],
};
const WHITESPACES = Object.keys(FLAGS) as Whitespace[];
const STATUSES: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
  R: 'renamed',
};

/** Runs git and returns the fields of its output; characters stand for bytes. */
function fields(folder: string, ...args: readonly string[]): string[] {
  return gitBytes(folder, args).toString('latin1').split('\0').slice(0, -1);
}

function statesAt(folder: string, commit: Oid): ReadonlyMap<string, FileState> {
  return new Map(
    fields(folder, 'ls-tree', '-r', '-z', commit).map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
      return [line.slice(tab + 1), { mode: mode as FileState['mode'], oid }];
    }),
  );
}

/** Returns the counts that git prints, by path. */
function countsBetween(folder: string, from: Oid, to: Oid, flags: readonly string[]) {
  const counts = new Map<string, readonly [string, string]>();
  const printed = fields(folder, 'diff-tree', '-r', '-z', '-M', '--numstat', ...flags, from, to).values();
  for (const field of printed) {
    const [, additions = '', deletions = '', path = ''] = /^(.*?)\t(.*?)\t(.*)$/s.exec(field) ?? [];
    if (path === '') printed.next();
    counts.set(path === '' ? (printed.next().value ?? '') : path, [additions, deletions]);
  }
  return counts;
}

/** Compares as git does. */
function comparedByGit(folder: string, from: Oid, to: Oid, whitespace: Whitespace): FileDifference[] {
  const counts = countsBetween(folder, from, to, FLAGS[whitespace]);
  const [before, after] = [statesAt(folder, from), statesAt(folder, to)];
  const files: FileDifference[] = [];
  const printed = fields(folder, 'diff-tree', '-r', '-z', '-M', '--name-status', from, to).values();
  for (const status of printed) {
    const first = printed.next().value ?? '';
    const path = status.startsWith('R') ? (printed.next().value ?? '') : first;
    const [additions, deletions] = counts.get(path) ?? ['none', 'none'];
    if (additions === 'none') continue;
    files.push({
      path: pathOfBytes(Buffer.from(path, 'latin1')),
      previousPath: path === first ? null : pathOfBytes(Buffer.from(first, 'latin1')),
      status: STATUSES[status.charAt(0)] as FileDifference['status'],
      additions: Number(additions.replace('-', '0')),
      deletions: Number(deletions?.replace('-', '0')),
      isBinary: additions === '-',
      before: (status === 'A' ? undefined : before.get(first)) ?? null,
      after: after.get(path) ?? null,
    });
  }
  return files;
}

function sumOf(files: readonly FileDifference[]) {
  const sum = (field: 'additions' | 'deletions') => files.reduce((total, file) => total + file[field], 0);
  return { files: files.length, additions: sum('additions'), deletions: sum('deletions') };
}

/** Pairs of numbers of versions; the last version is empty. */
const PAIRS = [
  [0, 1],
  [2, 0],
  [3, 1],
  [2, 3],
] as const;

for (const [format, seeds] of [
  ['sha1', [1, 2, 3]],
  ['sha256', [4]],
] as const) {
  test(`files of random commits differ as git finds it, with renames and counted lines (${format})`, async (t) => {
    const kinds = new Set<string>();
    for (const seed of seeds) {
      const random = new Random(seed);
      const first = randomFiles(random);
      const second = editedFiles(random, first);
      const versions = [first, second, editedFiles(random, second), new Map()];
      const { storage, gitFolder, commits } = await importVersions(t, versions, format);
      for (const [one, other] of PAIRS) {
        const [from, to] = [commits[one] as CommitOf, commits[other] as CommitOf];
        for (const whitespace of WHITESPACES) {
          const { files, total } = await storage.history.compareFiles(from, to, { whitespace });
          const expected = comparedByGit(gitFolder, from.oid, to.oid, whitespace);
          assert.deepEqual(files, expected, `${seed} ${whitespace}`);
          assert.deepEqual(total, sumOf(expected));
          for (const { status, isBinary } of files) kinds.add(isBinary ? 'binary' : status);
        }
      }
    }
    assert.deepEqual([...kinds].sort(), ['added', 'binary', 'modified', 'removed', 'renamed']);
  });
}

/** Makes files of mode 100644. */
function versionOf(texts: Readonly<Record<string, string>>): Contents {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { mode: '100644', text }]));
}

async function importTwo(t: TestContext, before: Contents, after: Contents) {
  const imported = await importVersions(t, [before, after]);
  const [from, to] = imported.commits;
  assert.ok(from !== undefined && to !== undefined);
  return { ...imported, from, to };
}

test('files in which only ignored blanks changed are left out, unless they were moved or got another mode', async (t) => {
  const long = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
  const { storage, from, to } = await importTwo(
    t,
    versionOf({ end: 'a\n', inside: 'a b\n', joined: 'a b\n', moved: long, other: 'a\nb\n', runs: 'x \n' }),
    new Map([
      ...versionOf({ end: 'a \n', inside: 'a  b\n', joined: 'ab\n', 'moved.to': `${long.slice(0, -1)} \n` }),
      ...versionOf({ other: 'a \nc\n' }),
      ['runs', { mode: '100755', text: 'x\n' }],
    ]),
  );
  const found = async (whitespace: Whitespace) => {
    const { files } = await storage.history.compareFiles(from, to, { whitespace });
    return files.map(({ path, additions, deletions }) => `${path} ${additions} ${deletions}`);
  };

  const moved = 'moved.to 0 0';
  assert.deepEqual(await found('ignore-eol'), ['inside 1 1', 'joined 1 1', moved, 'other 1 1', 'runs 0 0']);
  assert.deepEqual(await found('ignore-change'), ['joined 1 1', moved, 'other 1 1', 'runs 0 0']);
  assert.deepEqual(await found('ignore-all'), [moved, 'other 1 1', 'runs 0 0']);
  assert.equal((await found('show-all')).length, 6);
});

test('pages of one comparison run git once, also at the same time and after the commits changed', async (t) => {
  const paths = Array.from({ length: 120 }, (_, index) => `f${String(index).padStart(3, '0')}`);
  const filled = versionOf(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
  const { storage, from, to, reopen } = await importTwo(t, versionOf({}), filled);
  const page = async (offset: number, history = storage.history) => {
    const options = { whitespace: 'show-all', slice: { limit: 50, offset } } as const;
    const { files, total } = await history.compareFiles(from, to, options);
    assert.deepEqual(total, { files: 120, additions: 120, deletions: 0 });
    return files.map(({ path }) => path);
  };
  // Afterwards, the commits are in memory.
  await storage.history.compareFiles(to, from, { whitespace: 'show-all' });

  const first = await countingProcesses(t, () => Promise.all([page(0), page(50), page(0)]));
  assert.deepEqual(first.result, [paths.slice(0, 50), paths.slice(50, 100), paths.slice(0, 50)]);
  assert.equal(first.processes, 1);
  const later = await countingProcesses(t, () => Promise.all([page(100), page(120), page(10_000)]));
  assert.deepEqual(later, { result: [paths.slice(100), [], []], processes: 0 });
  const elsewhere = await countingProcesses(t, () => page(0, reopen().history));
  assert.equal(elsewhere.processes > 0, true);
  const equal = await countingProcesses(t, () =>
    storage.history.compareFiles(to, to, { whitespace: 'show-all' }),
  );
  assert.deepEqual(equal, {
    result: { files: [], total: { files: 0, additions: 0, deletions: 0 }, skipped: 0 },
    processes: 0,
  });
});

test('files before a path are left out, whether it differs or not', async (t) => {
  const random = new Random(5);
  const first = randomFiles(random);
  const second = editedFiles(random, first);
  const { storage, from, to } = await importTwo(t, first, second);
  const whitespace = 'show-all';
  const all = await storage.history.compareFiles(from, to, { whitespace });
  const bytesOf = (path: string) => bytesOfPath(path);
  const some = [...first.keys(), ...second.keys()].map((path) => pathOfBytes(Buffer.from(path, 'latin1')));

  for (const path of [...some, '', '!', '~~', 'caf\u00e9', '"\\351"']) {
    const expected = all.files.filter((file) => bytesOf(file.path).compare(bytesOf(path)) >= 0);
    const skipped = all.files.length - expected.length;
    const options = { whitespace, skipTo: path } as const;
    const found = await storage.history.compareFiles(from, to, options);
    assert.deepEqual(found, { files: expected, total: all.total, skipped }, path);
    const slice = { limit: 2, offset: 1 };
    const page = await storage.history.compareFiles(from, to, { ...options, slice });
    assert.deepEqual(page, { files: expected.slice(1, 3), total: all.total, skipped }, path);
  }
});

test('the last common commit of two commits is found once, also for a fork', async (t) => {
  const first = buildCommit('sha1', { a: '1\n' });
  const left = buildCommit('sha1', { a: '2\n' }, [first.oid]);
  const right = buildCommit('sha1', { a: '3\n' }, [first.oid]);
  const alone = buildCommit('sha1', { b: '1\n' });
  const { storage, id } = await openGitFixture(t);
  for (const [name, { objects, oid }] of Object.entries({ first, left, right, alone }))
    await commitFilesTo(storage, id, objects, [{ ref: `refs/heads/${name}`, old: null, new: oid }]);
  await storage.writes.fork(id, { refs: 'all' }, (tx, create) => create(tx, id + 1));
  const ofId = async (repositoryId: number, oid: Oid) => ({
    snapshot: await storage.refs.open(repositoryId),
    oid,
  });
  const found = async (one: Oid, other: Oid, repositoryId = id) =>
    storage.history.mergeBase(await ofId(id, one), await ofId(repositoryId, other));

  const asked = await countingProcesses(t, async () => [
    await found(left.oid, right.oid),
    await found(left.oid, alone.oid),
  ]);
  assert.deepEqual(asked.result, [first.oid, undefined]);
  assert.equal(asked.processes > 0, true);
  // Afterwards, the commit is in memory for the fork, too.
  await (await storage.refs.open(id + 1)).objects.readCommit(right.oid);
  const again = await countingProcesses(t, async () => [
    await found(left.oid, right.oid, id + 1),
    await found(left.oid, alone.oid),
  ]);
  assert.deepEqual(again, { result: [first.oid, undefined], processes: 0 });
  await assert.rejects(found(left.oid, first.tree), /not found/);
});

test('pages of a comparison that takes most of the cache run git once', async (t) => {
  const count = 20_000;
  const folder = 'n'.repeat(200);
  const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
  const filled = versionOf(Object.fromEntries(paths.map((path) => [path, ''])));
  const { storage, from, to } = await importTwo(t, versionOf({}), filled);
  const page = async (offset: number) => {
    const options = { whitespace: 'show-all', slice: { limit: 50, offset } } as const;
    const { files, total } = await storage.history.compareFiles(from, to, options);
    return [files.length, total.files];
  };

  assert.deepEqual(await page(0), [50, count]);
  const later = await countingProcesses(t, () => page(count - 10));
  assert.deepEqual(later, { result: [10, count], processes: 0 });
});

test('files of a comparison that are too much to count are only named', async (t) => {
  const count = 75_000;
  const folder = 'n'.repeat(200);
  const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
  const filled = versionOf(Object.fromEntries(paths.map((path) => [path, 'one\n'])));
  const { storage, from, to } = await importTwo(t, versionOf({}), filled);

  for (const whitespace of ['show-all', 'ignore-all'] as const) {
    const { files, total } = await storage.history.compareFiles(from, to, {
      whitespace,
      slice: { limit: 1, offset: 0 },
    });
    assert.deepEqual(total, { files: count, additions: 0, deletions: 0 });
    assert.deepEqual([files[0]?.path, files[0]?.status, files[0]?.additions], [paths[0], 'added', 0]);
  }
});

test('commits of a fork and its parent are compared, in both directions', async (t) => {
  const first = buildCommit('sha1', { a: '1\n', b: '2\n' });
  const inParent = buildCommit('sha1', { a: '1\n', b: '3\n' }, [first.oid]);
  const inFork = buildCommit('sha1', { a: '1\n', c: '4\n5\n' }, [first.oid]);
  const { storage, id } = await openGitFixture(t);
  await commitFilesTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  await storage.writes.fork(id, { refs: 'all' }, (tx, create) => create(tx, id + 1));
  const update = { ref: MAIN, old: first.oid };
  await commitTo(storage, id, inParent.objects, [{ ...update, new: inParent.oid }]);
  await commitTo(storage, id + 1, inFork.objects, [{ ...update, new: inFork.oid }]);
  const base = { snapshot: await storage.refs.open(id), oid: inParent.oid };
  const head = { snapshot: await storage.refs.open(id + 1), oid: inFork.oid };
  const found = async (from: CommitOf, to: CommitOf) =>
    (await storage.history.compareFiles(from, to, { whitespace: 'show-all' })).files.map(
      ({ path, status, additions, deletions }) => `${path} ${status} ${additions} ${deletions}`,
    );

  assert.deepEqual(await found(base, head), ['b removed 0 1', 'c added 2 0']);
  assert.deepEqual(await found(head, base), ['b added 1 0', 'c removed 0 2']);
  await assert.rejects(found({ ...base, oid: inFork.oid }, head), /not found/);
  await assert.rejects(found(base, { ...head, oid: inFork.tree }), /not found/);
});

test('a caller who leaves ends a comparison that no other caller waits for', async (t) => {
  const { storage, from, to } = await importTwo(t, versionOf({ a: '1' }), versionOf({ a: '2' }));
  const left = new AbortController();
  const compareAs = (caller: RequestCaller) =>
    runFor(caller, () => storage.history.compareFiles(from, to, { whitespace: 'show-all' }));
  const leaving = compareAs(new RequestCaller('10.0.0.1', () => left.signal));
  const staying = compareAs(new RequestCaller('10.0.0.2', () => AbortSignal.any([])));
  left.abort(new Error('left'));

  await assert.rejects(leaving, /left/);
  assert.equal((await staying).total.files, 1);
  assert.equal(PROCESS_SLOTS.diffs.running, 0);
});

test('H2: a comparison of billions of files ends at the limit of memory, and others go on', async (t) => {
  const { storage, gitFolder, from, id } = await importTwo(t, versionOf({ a: '1' }), versionOf({ a: '2' }));
  const tree = await treeBomb(gitFolder, { width: 30, depth: 6, name: 'n'.repeat(200) });
  const bomb = git(gitFolder, ['commit-tree', tree, '-m', 'Bomb']);
  await using session = await storage.writes.begin(id);
  await session.ingestPack(packOf(gitFolder, [bomb]), { bytesMax: 2 ** 30 });
  await storage.writes.commit(session, [{ ref: MAIN, old: null, new: bomb }], NOTHING_MORE);
  const to = { snapshot: await storage.refs.open(id), oid: bomb };

  const compared = storage.history.compareFiles(from, to, { whitespace: 'show-all' });

  await assert.rejects(compared, (error) => {
    return error instanceof ForgeError && error.failure.kind === 'invalid';
  });
  assert.equal(PROCESS_SLOTS.diffs.running, 0);
});
