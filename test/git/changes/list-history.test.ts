import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NotIndexedError } from '../../../src/git/changes/history.ts';
import {
  countHistory,
  countSince,
  type IndexedRange,
  listHistory,
} from '../../../src/git/changes/list-history.ts';
import { NewestFirst } from '../../../src/git/changes/newest-first.ts';
import { readManifest } from '../../../src/git/changes/segments/manifest.ts';
import type { SegmentFile } from '../../../src/git/changes/segments/segment-file.ts';
import { closeAll, numberIn, openSegments } from '../../../src/git/changes/segments/segments.ts';
import { afterTest } from '../../support/after-test.ts';
import { git } from '../../support/git/git.ts';
import {
  build,
  type Imported,
  importHistory,
  numbersFrom,
  PATHS,
  randomHistory,
  WHOLE,
} from './random-history.ts';

// Runs once: no outcome depends on the database.

const ALL = { limit: 1_000, offset: 0 };
/**
 * Without the paths that are a file in one commit and a folder in another: if a merge deletes such a path in all
 * parents, git's combined diff leaves it out.
 */
const LISTED = [...PATHS.filter((path) => path !== 'b' && path !== 'x'), 'x/y', 'nothing', 'x/nothing'];

interface Names {
  readonly head: string;
  readonly without?: readonly string[];
  readonly path?: string;
}

function opened(t: TestContext, { index, oidBytes }: Imported): readonly SegmentFile[] {
  const { files } = openSegments(index, readManifest(index), oidBytes);
  afterTest(t, () => closeAll(files));
  return files;
}

function rangeOf(files: readonly SegmentFile[], { head, without = [], path }: Names): IndexedRange {
  const numberOf = (oid: string) => numberIn(files, Buffer.from(oid, 'hex')) ?? assert.fail(`no ${oid}`);
  return { head: numberOf(head), without: without.map(numberOf), path: path ?? null };
}

/** Compares lists and counts of the index with those of git. */
async function assertAsGit({ gitDir }: Imported, files: readonly SegmentFile[], names: Names) {
  const { head, without = [], path } = names;
  const about = JSON.stringify(names);
  const limits = [...without.map((oid) => `^${oid}`), ...(path === undefined ? [] : ['--', path])];
  const expected = (await git(gitDir, ['rev-list', head, ...limits])).split('\n').filter((oid) => oid !== '');
  const range = rangeOf(files, names);
  assert.deepEqual(await listHistory(files, range, ALL, undefined), expected, about);
  assert.equal(await countHistory(files, range, undefined), expected.length, about);
  const slice = { limit: 3, offset: 2 };
  assert.deepEqual(await listHistory(files, range, slice, undefined), expected.slice(2, 5), about);
}

for (const seed of [1, 2, 3, 4]) {
  test(`the index of a random history lists commits and changes of paths as git does (${seed})`, async (t) => {
    const history = randomHistory(120, seed);
    const imported = await importHistory(t, history);
    const random = numbersFrom(seed);
    // In steps, so that the index has several segments and merges some of them.
    for (let until = 10; until < history.length; until += 1 + random(40)) {
      const size = { ...WHOLE, commitsMax: 1 + random(30) };
      while ((await build(imported, imported.oids.slice(0, until), size)) === 'more');
    }
    assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
    const files = opened(t, imported);

    for (let sample = 0; sample < 12; sample += 1) {
      const head = imported.oids.at(-1 - random(sample === 0 ? 1 : 60)) ?? '';
      const other = imported.oids[random(history.length)] ?? '';
      await assertAsGit(imported, files, { head });
      await assertAsGit(imported, files, { head, without: [other] });
      for (const path of LISTED.slice(sample % 2 === 0 ? 0 : 6))
        await assertAsGit(imported, files, { head, path });
    }
  });
}

test('a count goes on from an earlier one over commits without merges, and only from an ancestor', async (t) => {
  const history = randomHistory(120, 6);
  const imported = await importHistory(t, history);
  for (let until = 10; until < history.length; until += 11)
    while ((await build(imported, imported.oids.slice(0, until), { ...WHOLE, commitsMax: 7 })) === 'more');
  assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
  const files = opened(t, imported);
  const rangeAt = (index: number, path: string | undefined) =>
    rangeOf(files, { head: imported.oids[index] ?? '', ...(path === undefined ? {} : { path }) });
  let continued = 0;

  for (const path of [undefined, 'a', 'x/y', 'nothing']) {
    for (let index = 1; index < history.length; index += 1) {
      const range = rangeAt(index, path);
      const total = await countHistory(files, range, undefined);
      for (const earlier of [index, index - 1, index - 2, 0]) {
        const before = rangeAt(Math.max(0, earlier), path);
        const known = { head: before.head, total: await countHistory(files, before, undefined) };
        const since = countSince(files, range, known);
        if (since !== undefined) assert.equal(since, total, `${path} at ${index} since ${earlier}`);
        const isNext = history[index]?.parents.length === 1 && history[index]?.parents[0] === earlier;
        if (isNext) assert.equal(since, total, `${path} at ${index} since its parent`);
        if (since !== undefined && earlier < index) continued += 1;
      }
    }
  }

  assert.ok(continued > 100, `${continued} counts went on from an earlier one`);
});

test('a long line of commits is counted without visiting each of them', async (t) => {
  const history = Array.from({ length: 800 }, (_, index) => ({
    parents: index === 0 ? [] : [index - 1],
    files: new Map([
      ['a', index % 3],
      ['b', 1],
    ]),
  }));
  const imported = await importHistory(t, history);
  assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
  const files = opened(t, imported);
  const head = imported.oids.at(-1) ?? '';
  const ended = AbortSignal.abort(new Error('ended'));

  // A signal that has fired ends a walk at its 500th step, so these take fewer.
  for (const [path, count] of [
    ['a', 800],
    ['b', 1],
  ] as const)
    assert.equal(await countHistory(files, rangeOf(files, { head, path }), ended), count);
  assert.equal(await countHistory(files, rangeOf(files, { head }), ended), 800);
  assert.equal(
    (await listHistory(files, rangeOf(files, { head }), { limit: 9, offset: 0 }, ended)).length,
    9,
  );
  await assert.rejects(listHistory(files, rangeOf(files, { head }), ALL, ended), /ended/);
});

test('the changes of an opaque commit are unknown, but not its place in the history', async (t) => {
  const history = randomHistory(30, 5);
  const imported = await importHistory(t, history);
  assert.equal(await build(imported, imported.oids, { ...WHOLE, commitWorkMax: 0 }), 'complete');
  const files = opened(t, imported);
  const head = imported.oids.at(-1) ?? '';

  await assertAsGit(imported, files, { head });
  await assert.rejects(
    listHistory(files, rangeOf(files, { head, path: 'a' }), ALL, undefined),
    NotIndexedError,
  );
  await assert.rejects(countHistory(files, rangeOf(files, { head, path: 'a' }), undefined), NotIndexedError);
});

test('the newest commit comes first, and of equally old ones the one that was added first', () => {
  const random = numbersFrom(1);
  const added = Array.from({ length: 500 }, (_, number) => ({ number, seconds: random(40) }));
  const queue = new NewestFirst();
  for (const { number, seconds } of added) queue.add(number, seconds);

  const taken = added.map(() => queue.take());

  const expected = added.toSorted((a, b) => b.seconds - a.seconds || a.number - b.number);
  assert.deepEqual(
    taken,
    expected.map(({ number }) => number),
  );
  assert.equal(queue.take(), undefined);
});
