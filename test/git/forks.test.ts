import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/base/database/database.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import { linkOrCopy } from '../../src/git/folders/linked-objects.ts';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import type { ObjectFormat } from '../../src/git/format/model.ts';
import type { GitStorage } from '../../src/git/interface/storage.ts';
import type { ForkOptions } from '../../src/git/interface/writes.ts';
import { afterTest } from '../support/after-test.ts';
import { mirrorOf } from '../support/git-folder.ts';
import {
  type BuiltCommit,
  buildCommit,
  commitFilesTo,
  commitTo,
  type GitFixture,
  git,
  MAIN,
  openGitFixture,
  temporaryFolder,
} from './git-fixture.ts';

// Runs on a disk, as a server does.

const FORK = 8;
const ALL: ForkOptions = { refs: 'all' };

interface Parent extends GitFixture {
  /** a storage whose prune deletes unreachable objects at once */
  readonly storage: GitStorage;
  readonly gitDir: string;
  readonly first: BuiltCommit;
  readonly second: BuiltCommit;
  /** oid of an annotated tag of the first commit */
  readonly tag: string;
}

/** Creates two commits on main. The first is in a pack, and also at a branch, a tag and `refs/pull/1/head`. */
async function openParent(t: TestContext, format: ObjectFormat = 'sha1'): Promise<Parent> {
  const fixture = await openGitFixture(t, format);
  const storage = createLocalStorage({ ...fixture, pruneGraceMs: 0 });
  afterTest(t, () => storage.close());
  const gitDir = join(fixture.folder, '07', '7.git');
  const first = buildCommit(format, { a: '1' });
  await commitTo(storage, fixture.id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  await storage.upkeep.maintain(fixture.id, 'repack');
  const text = `object ${first.oid}\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nx\n`;
  const tag = git(gitDir, ['mktag'], text);
  const second = buildCommit(format, { b: '2' }, [first.oid]);
  await commitTo(storage, fixture.id, second.objects, [
    { ref: MAIN, old: first.oid, new: second.oid },
    { ref: 'refs/heads/old/one', old: null, new: first.oid },
    { ref: 'refs/tags/v1', old: null, new: tag },
    { ref: 'refs/pull/1/head', old: null, new: first.oid },
  ]);
  return { ...fixture, storage, gitDir, first, second, tag };
}

function forkTo(storage: GitStorage, id = FORK, options = ALL): Promise<void> {
  return storage.writes.fork(7, options, (tx, create) => create(tx, id));
}

async function refsOf(storage: GitStorage, id: number): Promise<Record<string, string>> {
  const snapshot = await storage.refs.open(id);
  return Object.fromEntries(snapshot.refs(''));
}

function bareFolder(folder: string, id: number): string {
  return RepositoryFolder.of(folder, id).path;
}

function stagedFolders(folder: string): string[] {
  return readdirSync(join(folder, 'staged'));
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`a fork has the branches, tags and objects of its parent, and shares its object files (${format})`, async (t) => {
    const { storage, folder, gitDir, first, second, tag, reopen } = await openParent(t, format);
    await forkTo(storage);

    assert.deepEqual(await refsOf(reopen(), FORK), {
      [MAIN]: second.oid,
      'refs/heads/old/one': first.oid,
      'refs/tags/v1': tag,
    });
    const snapshot = await storage.refs.open(FORK);
    assert.equal(snapshot.head, MAIN);
    assert.equal(snapshot.objectFormat, format);
    assert.equal(snapshot.peeled('refs/tags/v1'), first.oid);
    assert.equal((await snapshot.objects.readCommit(second.oid)).tree, second.tree);
    const mirrored = await mirrorOf(storage, snapshot);
    assert.equal(git(mirrored.gitDir, ['show', 'main:b']), '2');
    assert.equal(git(mirrored.gitDir, ['rev-list', '--all', '--count']), '2');
    assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
    const path = `objects/${second.oid.slice(0, 2)}/${second.oid.slice(2)}`;
    assert.equal(statSync(join(mirrored.gitDir, path)).ino, statSync(join(gitDir, path)).ino);
    assert.ok(!existsSync(join(mirrored.gitDir, 'objects/info/alternates')));
    assert.deepEqual(stagedFolders(folder), []);
  });

  test(`a fork stays complete when its parent is pruned, deleted and swept (${format})`, async (t) => {
    const { storage, database, id, folder, second } = await openParent(t, format);
    await forkTo(storage);
    await commitTo(storage, id, [], [{ ref: MAIN, old: second.oid, new: null }]);
    assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');
    await database.transaction((tx) => storage.refs.remove(id, tx));
    assert.equal(await storage.upkeep.sweep(-1), 1);

    assert.ok(!existsSync(bareFolder(folder, id)));
    assert.equal((await refsOf(storage, FORK))[MAIN], second.oid);
    assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
  });
}

test('a push, a repack or a prune of a fork or its parent does not affect the other', async (t) => {
  const { storage, id, second } = await openParent(t);
  await forkTo(storage);
  const inParent = buildCommit('sha1', { inParent: '1' }, [second.oid]);
  const inFork = buildCommit('sha1', { inFork: '1' }, [second.oid]);
  await commitTo(storage, id, inParent.objects, [{ ref: MAIN, old: second.oid, new: inParent.oid }]);
  await commitTo(storage, FORK, inFork.objects, [{ ref: MAIN, old: second.oid, new: inFork.oid }]);
  for (const job of ['repack', 'prune', 'commit-graph'] as const) {
    assert.equal(await storage.upkeep.maintain(FORK, job), 'done');
    assert.equal(await storage.upkeep.maintain(id, job), 'done');
  }

  const parent = await storage.refs.open(id);
  const fork = await storage.refs.open(FORK);
  assert.equal(parent.ref(MAIN), inParent.oid);
  assert.equal(fork.ref(MAIN), inFork.oid);
  assert.equal(await parent.objects.info(inFork.oid), undefined);
  assert.equal(await fork.objects.info(inParent.oid), undefined);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

test("the first prune of a fork deletes objects that the parent's branches and tags do not reach", async (t) => {
  const { storage, id, first, second } = await openParent(t);
  const hidden = buildCommit('sha1', { hidden: '1' }, [first.oid]);
  await commitTo(storage, id, hidden.objects, [{ ref: 'refs/pull/2/head', old: null, new: hidden.oid }]);
  await forkTo(storage);
  assert.equal(await storage.upkeep.maintain(FORK, 'prune'), 'done');

  const fork = await storage.refs.open(FORK);
  assert.equal(await fork.objects.info(hidden.oid), undefined);
  assert.equal(fork.ref(MAIN), second.oid);
  const parent = await storage.refs.open(id);
  assert.equal((await parent.objects.info(hidden.oid))?.type, 'commit');
});

test('unused objects keep their age in a fork', async (t) => {
  const { storage, id, gitDir, reopen } = await openParent(t);
  const unused = buildCommit('sha1', { unused: '1' });
  await commitFilesTo(storage, id, unused.objects, [{ ref: 'refs/heads/x', old: null, new: unused.oid }]);
  await commitTo(storage, id, [], [{ ref: 'refs/heads/x', old: unused.oid, new: null }]);
  for (const { oid } of unused.objects) {
    utimesSync(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)), 1, 1);
  }
  await forkTo(storage);
  const patient = reopen();
  assert.equal(await patient.upkeep.maintain(FORK, 'prune'), 'done');
  const fork = await patient.refs.open(FORK);
  assert.equal(await fork.objects.info(unused.oid), undefined);
});

test('a fork of the default branch has only that branch, and HEAD', async (t) => {
  const { storage, second } = await openParent(t);
  await forkTo(storage, FORK, { refs: 'default-branch' });
  assert.deepEqual(await refsOf(storage, FORK), { [MAIN]: second.oid });
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

test('an empty repository can be forked, and the fork accepts a push', async (t) => {
  const { storage } = await openGitFixture(t);
  await forkTo(storage);
  assert.deepEqual(await refsOf(storage, FORK), {});
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  const [result] = await commitTo(storage, FORK, objects, [{ ref: MAIN, old: null, new: oid }]);
  assert.equal(result?.outcome, 'moved');
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

test('a fork can be forked', async (t) => {
  const { storage, second } = await openParent(t);
  await forkTo(storage);
  await storage.writes.fork(FORK, ALL, (tx, create) => create(tx, 9));
  assert.equal((await refsOf(storage, 9))[MAIN], second.oid);
  assert.deepEqual((await storage.upkeep.verify(9)).problems, []);
});

test('a missing repository cannot be forked, and a failed fork leaves no rows or files', async (t) => {
  const { storage, folder, id, database } = await openParent(t);
  await assert.rejects(
    storage.writes.fork(99, ALL, async () => {}),
    /repository not found/,
  );
  const refuse = storage.writes.fork(id, ALL, async (tx, create) => {
    await create(tx, FORK);
    throw new Error('the name is in use');
  });
  await assert.rejects(refuse, /in use/);
  // Deletes the repository after its objects are linked.
  const removed = storage.writes.fork(id, ALL, async (tx, create) => {
    await storage.refs.remove(id, tx);
    await create(tx, FORK);
  });
  await assert.rejects(removed, /repository not found/);

  await assert.rejects(storage.refs.open(FORK), /repository not found/);
  assert.deepEqual(await storage.refs.list(), [id]);
  assert.deepEqual(stagedFolders(folder), []);
  assert.equal(await database.transaction(async () => 'usable'), 'usable');
});

/** Opens a storage that runs `work` once, after it links the objects of a fork and before it writes the rows. */
function withWorkBetween(
  t: TestContext,
  { database, folder }: Pick<GitFixture, 'database' | 'folder'>,
  work: () => Promise<unknown>,
): GitStorage {
  let before: (() => Promise<unknown>) | undefined = work;
  const transaction: Database['transaction'] = async (inside) => {
    const first = before;
    before = undefined;
    await first?.();
    return database.transaction(inside);
  };
  const interrupted = new Proxy(database, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
  const storage = createLocalStorage({ database: interrupted, folder });
  afterTest(t, () => storage.close());
  return storage;
}

test('a fork does not contain a concurrent push to its parent, and is complete', async (t) => {
  const parent = await openParent(t);
  const { storage, id, first, second } = parent;
  const late = buildCommit('sha1', { late: '1' }, [second.oid]);
  const forking = withWorkBetween(t, parent, () =>
    commitTo(storage, id, late.objects, [
      { ref: MAIN, old: second.oid, new: late.oid },
      { ref: 'refs/heads/late', old: null, new: late.oid },
      { ref: 'refs/heads/old/one', old: first.oid, new: null },
      { ref: 'refs/pull/1/head', old: first.oid, new: null },
    ]),
  );
  await forkTo(forking);

  assert.deepEqual(await refsOf(storage, FORK), {
    [MAIN]: second.oid,
    'refs/heads/old/one': first.oid,
    'refs/tags/v1': parent.tag,
  });
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

test('objects are linked again if the parent is pruned before the rows are written', async (t) => {
  const parent = await openParent(t);
  const { storage, id, second, folder } = parent;
  const forking = withWorkBetween(t, parent, async () => {
    await commitTo(storage, id, [], [{ ref: 'refs/tags/v1', old: parent.tag, new: null }]);
    assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');
  });
  await forkTo(forking);

  const fork = await storage.refs.open(FORK);
  assert.equal(fork.ref(MAIN), second.oid);
  assert.equal(fork.ref('refs/tags/v1'), undefined);
  assert.equal(await fork.objects.info(parent.tag), undefined);
  assert.deepEqual(stagedFolders(folder), []);
});

test('forks are complete even if the parent is pushed to, repacked and pruned at the same time', async (t) => {
  const { storage, id, second } = await openParent(t);
  const maintain = async () => {
    for (let time = 1; time <= 3; time += 1) {
      await storage.upkeep.maintain(id, 'repack');
      await storage.upkeep.maintain(id, 'prune');
    }
  };
  const push = async () => {
    let old = second.oid;
    for (let time = 1; time <= 10; time += 1) {
      const next = buildCommit('sha1', { time: `${time}` }, time % 3 === 0 ? [] : [old]);
      await commitTo(storage, id, next.objects, [{ ref: MAIN, old, new: next.oid }]);
      old = next.oid;
    }
  };
  const forks = Array.from({ length: 8 }, (_, nth) => 100 + nth);
  const fork = async () => {
    for (const each of forks) await forkTo(storage, each);
  };
  await Promise.all([maintain(), push(), fork()]);

  for (const each of forks)
    assert.deepEqual((await storage.upkeep.verify(each)).problems, [], `fork ${each}`);
});

test('a sweep removes staged folders without rows', async (t) => {
  const { storage, folder } = await openParent(t);
  await forkTo(storage);
  const abandoned = join(folder, 'staged', 'abandoned');
  mkdirSync(join(abandoned, 'objects'), { recursive: true });
  assert.equal(await storage.upkeep.sweep(60_000), 0, 'a new folder may be in use');
  utimesSync(abandoned, 1, 1);
  assert.equal(await storage.upkeep.sweep(60_000), 1);
  assert.deepEqual(stagedFolders(folder), []);
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

const MEMORY = '/dev/shm';

test('a file is copied with its date and mode if the file system cannot link it', async (t) => {
  const source = temporaryFolder(t);
  if (!existsSync(MEMORY) || statSync(MEMORY).dev === statSync(source).dev) {
    t.skip('this machine has no second file system at /dev/shm');
    return;
  }
  const target = mkdtempSync(join(MEMORY, 'quire-git-'));
  afterTest(t, () => rmSync(target, { recursive: true, force: true }));
  const [from, to] = [join(source, 'object'), join(target, 'object')];
  writeFileSync(from, 'content', { mode: 0o440 });
  utimesSync(from, 1_700_000_000, 1_700_000_000);
  await linkOrCopy(from, to);

  assert.equal(readFileSync(to, 'utf8'), 'content');
  const { mtimeMs, mode } = statSync(to);
  assert.deepEqual([mtimeMs, mode & 0o777], [1_700_000_000_000, 0o440]);
});

test('commits are counted and ancestors found between a fork and its parent', async (t) => {
  const { storage, id, first, second } = await openParent(t);
  await forkTo(storage);
  const inParent = buildCommit('sha1', { inParent: '1' }, [second.oid]);
  const inFork = buildCommit('sha1', { inFork: '1' }, [first.oid]);
  const more = buildCommit('sha1', { inFork: '2' }, [inFork.oid]);
  await commitTo(storage, id, inParent.objects, [{ ref: MAIN, old: second.oid, new: inParent.oid }]);
  await commitTo(
    storage,
    FORK,
    [...inFork.objects, ...more.objects],
    [{ ref: MAIN, old: second.oid, new: more.oid }],
  );
  const parent = await storage.refs.open(id);
  const fork = await storage.refs.open(FORK);
  const base = { snapshot: parent, oid: inParent.oid };
  const head = { snapshot: fork, oid: more.oid };

  assert.deepEqual(await storage.history.countBetween(base, head), { behind: 2, ahead: 2 });
  assert.deepEqual(await storage.history.countBetween(head, base), { behind: 2, ahead: 2 });
  assert.deepEqual(await storage.history.countBetween(head, { snapshot: fork, oid: inFork.oid }), {
    behind: 1,
    ahead: 0,
  });
  for (const oid of [more.oid, inParent.tree, 'main', `${inParent.oid} `]) {
    await assert.rejects(
      storage.history.countBetween({ snapshot: parent, oid }, head),
      /commit .* not found/,
    );
  }
});

for (const format of ['sha1', 'sha256'] as const) {
  test(`a session copies the new commits of the parent to a fork, like a push (${format})`, async (t) => {
    const { storage, id, second } = await openParent(t, format);
    await forkTo(storage);
    const third = buildCommit(format, { a: '1', c: '3' }, [second.oid]);
    const aside = buildCommit(format, { aside: '1' }, [second.oid]);
    await commitTo(
      storage,
      id,
      [...third.objects, ...aside.objects],
      [
        { ref: MAIN, old: second.oid, new: third.oid },
        { ref: 'refs/heads/aside', old: null, new: aside.oid },
      ],
    );
    const parent = await storage.refs.open(id);
    await using session = await storage.writes.begin(FORK);
    await session.copyFrom(parent, [third.oid]);
    assert.equal((await session.objects.readCommit(third.oid)).tree, third.tree);
    const before = await storage.refs.open(FORK);
    assert.equal(
      await before.objects.info(third.oid),
      undefined,
      'the commit is visible only in the session',
    );
    assert.deepEqual(await session.findDisconnected([third.oid]), []);
    const update = { ref: MAIN, old: second.oid, new: third.oid };
    await storage.writes.commit(session, [update], { atomic: true, inTransaction: async () => [] });

    const fork = await storage.refs.open(FORK);
    assert.equal(fork.ref(MAIN), third.oid);
    assert.equal(await fork.objects.info(aside.oid), undefined);
    assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
  });
}

test('copying objects that exist already, or none, adds no objects', async (t) => {
  const { storage, id, first } = await openParent(t);
  await forkTo(storage);
  const before = await storage.upkeep.measure(FORK);
  const parent = await storage.refs.open(id);
  await using session = await storage.writes.begin(FORK);
  await session.copyFrom(parent, [first.oid]);
  await session.copyFrom(parent, []);
  await storage.writes.commit(session, [{ ref: 'refs/heads/x', old: null, new: first.oid }], {
    atomic: true,
    inTransaction: async () => [],
  });
  assert.deepEqual(await storage.upkeep.measure(FORK), before);
});

test('copying a missing tip, or from a repository with another object format, fails', async (t) => {
  const { storage, id, database, first } = await openParent(t);
  await database.transaction((tx) => storage.refs.create(FORK, { head: MAIN, objectFormat: 'sha256' }, tx));
  const parent = await storage.refs.open(id);
  await using session = await storage.writes.begin(FORK);
  await assert.rejects(session.copyFrom(parent, ['a'.repeat(40)]), /object .* not found/);
  await assert.rejects(session.copyFrom(parent, [first.oid]), /different object formats/);
});

test('copying from a repository with missing objects is a server fault', async (t) => {
  const { storage, id, gitDir, second } = await openParent(t);
  await forkTo(storage);
  const third = buildCommit('sha1', { c: '3' }, [second.oid]);
  await commitFilesTo(storage, id, third.objects, [{ ref: MAIN, old: second.oid, new: third.oid }]);
  rmSync(join(gitDir, 'objects', third.tree.slice(0, 2), third.tree.slice(2)));
  const parent = await storage.refs.open(id);
  await using session = await storage.writes.begin(FORK);
  await assert.rejects(session.copyFrom(parent, [third.oid]), { name: 'GitFailedError' });
});

test('two repositories are read together even if the path of their folder has special characters', async (t) => {
  const { database } = await openGitFixture(t);
  const folder = join(temporaryFolder(t), '"a:b" c\\d');
  const storage = createLocalStorage({ database, folder });
  afterTest(t, () => storage.close());
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  await database.transaction((tx) => storage.refs.create(FORK, { head: MAIN, objectFormat: 'sha1' }, tx));
  await commitTo(storage, 7, objects, [{ ref: MAIN, old: null, new: oid }]);
  const parent = await storage.refs.open(7);
  await using session = await storage.writes.begin(FORK);
  await session.copyFrom(parent, [oid]);
  assert.equal((await session.objects.info(oid))?.type, 'commit');
});
