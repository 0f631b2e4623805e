import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { buildStep } from '../../../src/git/changes/build.ts';
import { Lookup } from '../../../src/git/changes/lookup.ts';
import { readManifest } from '../../../src/git/changes/segments/manifest.ts';
import { closeAll, numberIn, openSegments } from '../../../src/git/changes/segments/segments.ts';
import type { GitDir } from '../../../src/git/folders/repository-layout.ts';
import { defaultTransferSettings } from '../../../src/git/interface/transfers.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { CatFilePool } from '../../../src/git/objects/cat-file-pool.ts';
import { LargeBlobs } from '../../../src/git/objects/large-blobs.ts';
import { RepositoryObjectCache } from '../../../src/git/objects/object-cache.ts';
import { CachedObjectReader } from '../../../src/git/objects/object-reader.ts';
import { transferResources } from '../../../src/git/processes/transfer-resources.ts';
import { afterTest } from '../../support/after-test.ts';
import { git } from '../../support/git/git.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import {
  build,
  type Imported,
  importHistory,
  type Model,
  numbersFrom,
  OID_BYTES,
  randomHistory,
  WHOLE,
} from './random-history.ts';

// Runs once: no outcome depends on the database.

/** Entries of a commit: path of a file or folder → its content. */
function entriesOf({ files }: Model): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const [path, content] of [...files].toSorted()) {
    entries.set(path, `${content}`);
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash);
      entries.set(folder, `${entries.get(folder) ?? ''} ${path}=${content}`);
    }
  }
  return entries;
}

/** The rule: the first parent that has the same entry at that path; else the commit itself. */
function lastCommitOf(history: readonly Model[], commit: number, path: string): number {
  for (let at = commit; ; ) {
    const entry = entriesOf(history[at] as Model).get(path);
    const same = history[at]?.parents.find(
      (parent) => entriesOf(history[parent] as Model).get(path) === entry,
    );
    if (same === undefined) return at;
    at = same;
  }
}

/** Compares the index with the rule, for every entry of every commit. */
async function assertIndexed(
  imported: Imported,
  history: readonly Model[],
  isCompared: (model: Model) => boolean = () => true,
): Promise<void> {
  const { files } = openSegments(imported.index, readManifest(imported.index), imported.oidBytes);
  try {
    for (const [commit, model] of history.entries()) {
      for (const path of isCompared(model) ? entriesOf(model).keys() : []) {
        const slash = path.lastIndexOf('/');
        const number = numberIn(files, Buffer.from(imported.oids[commit] ?? '', 'hex'));
        assert.ok(number !== undefined, `commit ${commit} is not indexed`);
        const folder = path.slice(0, Math.max(slash, 0));
        const name = path.slice(slash + 1);
        const { found, goesOn } = await new Lookup(files, folder, undefined).run(number, [name]);
        const last = imported.oids[lastCommitOf(history, commit, path)];
        assert.equal(goesOn.size, 0);
        assert.equal(found.get(name)?.oid, last, `${path} at ${commit}`);
      }
    }
  } finally {
    closeAll(files);
  }
}

function countIndexed({ index, oids, oidBytes }: Imported): number {
  const { files } = openSegments(index, readManifest(index), oidBytes);
  try {
    return oids.filter((oid) => numberIn(files, Buffer.from(oid, 'hex')) !== undefined).length;
  } finally {
    closeAll(files);
  }
}

/** Removes commits from a repository as if they had been collected as garbage. */
async function removeCommits({ gitDir }: Imported, oids: readonly string[]): Promise<void> {
  const packs = join(gitDir, 'objects', 'pack');
  for (const name of await readdir(packs)) {
    if (name.endsWith('.pack')) {
      await rename(join(packs, name), join(gitDir, 'moved.pack'));
      await git(gitDir, ['unpack-objects', '-q'], { input: await readFile(join(gitDir, 'moved.pack')) });
    } else await rm(join(packs, name), { force: true });
  }
  for (const oid of oids) await rm(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
}

for (const seed of [1, 2, 3]) {
  test(`the index of a random history matches the rule at every commit, built at once (${seed})`, async (t) => {
    const history = randomHistory(150, seed);
    const imported = await importHistory(t, history);
    assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
    await assertIndexed(imported, history);
  });

  test(`the index of a random history matches the rule at every commit, built in small parts (${seed})`, async (t) => {
    const history = randomHistory(80, seed);
    const imported = await importHistory(t, history);
    const random = numbersFrom(seed);
    for (let until = 1; until <= history.length; until += 1 + random(9)) {
      const tips = imported.oids.slice(0, until);
      while ((await build(imported, tips, { ...WHOLE, commitsMax: 1 + random(6) })) === 'more');
    }
    while ((await build(imported, imported.oids, { ...WHOLE, workMax: 5 })) === 'more');
    const { segments } = readManifest(imported.index);
    assert.ok(segments.length <= 10, `${segments.length} segments`);
    await assertIndexed(imported, history);
  });
}

/** Reads the objects of a repository as the server does. */
function readerOf(t: TestContext, gitDir: GitDir): CachedObjectReader {
  const pool = new CatFilePool();
  afterTest(t, () => pool.close());
  const largeBlobs = new LargeBlobs(transferResources(gitDir, defaultTransferSettings()));
  const cache = new RepositoryObjectCache({ bytesMax: 1_000_000 }).of(1);
  const locate = async () => ({ key: '1', location: { gitDir } });
  return new CachedObjectReader({ pool, cache, largeBlobs, format: 'sha1', locate });
}

for (const seed of [1, 2, 3, 4]) {
  test(`a few commits are indexed by the rule without a git process for them (${seed})`, async (t) => {
    const history = randomHistory(2 * GIT_LIMITS.commitsComparedWithoutGit, seed);
    const imported = await importHistory(t, history);
    const objects = readerOf(t, imported.gitDir);
    const started = watchProcesses(t);
    const half = imported.oids.slice(0, GIT_LIMITS.commitsComparedWithoutGit);
    assert.equal(await build(imported, half, WHOLE, objects), 'complete');
    assert.equal(await build(imported, imported.oids, WHOLE, objects), 'complete');
    const commands = started().filter((command) => !command.includes('cat-file'));
    assert.deepEqual(commands, []);
    await assertIndexed(imported, history);
  });
}

test('more than a few commits are indexed by git', async (t) => {
  const history = randomHistory(GIT_LIMITS.commitsComparedWithoutGit + 1, 9);
  const imported = await importHistory(t, history);
  const objects = readerOf(t, imported.gitDir);
  const started = watchProcesses(t);
  assert.equal(await build(imported, imported.oids, WHOLE, objects), 'complete');
  assert.ok(started().some((command) => command.includes('diff-tree')));
  await assertIndexed(imported, history);
});

test('an index also works with long oids, and with merges of many parents', async (t) => {
  const history = [...randomHistory(45, 7)];
  for (const count of [40, 13, GIT_LIMITS.parentsComparedMax]) {
    const parents = Array.from({ length: count }, (_, index) => index + 1);
    history.push({ parents, files: history[count - 1]?.files ?? new Map() });
  }
  for (const format of ['sha1', 'sha256']) {
    const imported = await importHistory(t, history, format);
    assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
    // A merge of more parents than the index compares is opaque.
    const isCompared = ({ parents }: Model) => parents.length <= GIT_LIMITS.parentsComparedMax;
    await assertIndexed(imported, history, isCompared);
  }
});

test('a build that is ended at any moment ends, and leaves an index that the next build completes', async (t) => {
  const history = randomHistory(40, 6);
  const imported = await importHistory(t, history);
  const step = { folder: imported.index, oidBytes: OID_BYTES };
  const objects = { locate: async () => ({ gitDir: imported.gitDir }) };
  for (let turns = 0; turns < 40; turns += 1) {
    const ending = new AbortController();
    const tips = imported.oids.slice(0, turns + 1);
    const size = { ...WHOLE, commitsMax: 3 };
    const building = buildStep({ ...step, tips, size }, ending.signal, objects);
    const ended = building.catch((error: unknown) => assert.match(String(error), /ended/));
    for (let turn = 0; turn < turns * 3; turn += 1) await setImmediate();
    ending.abort(new Error('ended'));
    await ended;
  }
  while ((await build(imported, imported.oids, WHOLE)) === 'more');
  await assertIndexed(imported, history);
});

test('the steps of a long history list only what they index', async (t) => {
  const history = randomHistory(80, 5);
  const imported = await importHistory(t, history);
  const size = { ...WHOLE, commitsMax: 10 };
  let indexed = 0;
  for (let left = 7; left > 0; left -= 1) {
    assert.equal(await build(imported, imported.oids, size), 'more');
    const manifest = readManifest(imported.index);
    assert.equal(manifest.ahead.length, left);
    const part = manifest.ahead[0] ?? [];
    const listed = await git(imported.gitDir, ['rev-list', ...part, '--not', ...manifest.tips]);
    assert.equal(listed.split('\n').length, 10);
    indexed += 10;
    assert.equal(countIndexed(imported), indexed);
  }
  while ((await build(imported, imported.oids, size)) === 'more');
  assert.deepEqual(readManifest(imported.index).ahead, []);
  await assertIndexed(imported, history);
});

test('steps whose commits were deleted after they were planned are planned again', async (t) => {
  const history = randomHistory(60, 8);
  const imported = await importHistory(t, history);
  const size = { ...WHOLE, commitsMax: 10 };
  const kept = imported.oids.slice(0, 30);
  assert.equal(await build(imported, imported.oids, size), 'more');
  await removeCommits(imported, imported.oids.slice(30, -1));
  while ((await build(imported, kept, size)) === 'more');
  await assertIndexed(imported, history.slice(0, 30));
});

test('a damaged index counts as empty and is built again', async (t) => {
  const history = randomHistory(20, 4);
  const imported = await importHistory(t, history);
  await build(imported, imported.oids, WHOLE);
  const [segment = ''] = readManifest(imported.index).segments;
  await writeFile(
    join(imported.index, segment),
    'QCHANGE2 and nothing else of a segment, but longer than its header',
  );
  assert.equal(openSegments(imported.index, readManifest(imported.index), OID_BYTES).files.length, 0);
  assert.equal(await build(imported, imported.oids, WHOLE), 'complete');
  await assertIndexed(imported, history);
});

test('an index names commits with too many changes, which end its lookups', async (t) => {
  const history = randomHistory(30, 5);
  const imported = await importHistory(t, history);
  assert.equal(await build(imported, imported.oids, { ...WHOLE, commitWorkMax: 0 }), 'complete');
  const { files } = openSegments(imported.index, readManifest(imported.index), OID_BYTES);
  afterTest(t, () => closeAll(files));
  const number = numberIn(files, Buffer.from(imported.oids[29] ?? '', 'hex')) ?? -1;
  const { found, goesOn } = await new Lookup(files, '', undefined).run(number, ['a']);
  assert.equal(found.size, 0);
  assert.equal([...goesOn.keys()].length, 1);
});

test('H2: a commit whose trees stand for billions of files is opaque, and its neighbors are indexed', async (t) => {
  const { gitDir, index } = await importHistory(t, [{ parents: [], files: new Map([['a', 1]]) }]);
  const before = await git(gitDir, ['rev-parse', 'c0']);
  // With long names, git reaches its limit of memory sooner.
  const tree = await treeBomb(gitDir, { width: 32, depth: 8, name: 'n'.repeat(200) });
  const bomb = await git(gitDir, ['commit-tree', '-p', before, '-m', 'bomb', tree]);
  const after = await git(gitDir, ['commit-tree', '-p', bomb, '-m', 'after', `${before}^{tree}`]);
  const tip = await git(gitDir, ['commit-tree', '-p', before, '-m', 'tip', `${before}^{tree}`]);

  assert.equal(await build({ gitDir, index, oids: [], oidBytes: OID_BYTES }, [after, tip], WHOLE), 'more');
  assert.equal(
    await build({ gitDir, index, oids: [], oidBytes: OID_BYTES }, [after, tip], WHOLE),
    'complete',
  );

  const { files } = openSegments(index, readManifest(index), OID_BYTES);
  afterTest(t, () => closeAll(files));
  assert.equal(
    files.reduce((sum, { sizes }) => sum + sizes.opaque, 0),
    2,
  );
  const found = await new Lookup(files, '', undefined).run(numberIn(files, Buffer.from(tip, 'hex')) ?? -1, [
    'a',
  ]);
  assert.equal(found.found.get('a')?.oid, before);
});
