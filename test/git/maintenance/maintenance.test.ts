import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createLocalStorage } from '../../../src/git/create.ts';
import { deleteUnchanged, listObjectFiles } from '../../../src/git/folders/object-files.ts';
import { RepositoryFolder } from '../../../src/git/folders/repository-layout.ts';
import { sweepFolders } from '../../../src/git/maintenance/sweep.ts';
import { afterTest } from '../../support/after-test.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { buildCommit, commitTo, git, MAIN, NOTHING_MORE, openGitFixture } from '../git-fixture.ts';
import { engineOf, packsOf, type UsedRepository, usedRepository } from '../used-repository.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`a repack leaves one pack of reachable objects and one of the others (${format})`, async (t) => {
    const used = await usedRepository(t, format);
    assert.equal(await used.storage.upkeep.maintain(used.id, 'repack'), 'done');

    assert.equal(packsOf(used).length, 2);
    assert.deepEqual(readdirSync(join(used.gitDir, 'upkeep')), []);
    assert.ok(existsSync(join(used.gitDir, 'objects', 'info', 'commit-graph')));
    const storage = used.reopen();
    const snapshot = await storage.refs.open(used.id);
    assert.equal((await snapshot.objects.readCommit(used.third.oid)).tree, used.third.tree);
    assert.equal((await snapshot.objects.info(used.unused.oid))?.type, 'commit');
    assert.deepEqual((await storage.upkeep.verify(used.id)).problems, []);
    assert.equal(await storage.upkeep.maintain(used.id, 'repack'), 'done');
    assert.deepEqual((await storage.upkeep.verify(used.id)).problems, []);
  });

  test(`a prune deletes exactly the unreachable objects (${format})`, async (t) => {
    const used = await usedRepository(t, format);
    assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');

    const snapshot = await used.storage.refs.open(used.id);
    assert.equal(await snapshot.objects.info(used.unused.oid), undefined);
    assert.equal((await snapshot.objects.readCommit(used.first.oid)).tree, used.first.tree);
    assert.deepEqual((await used.storage.upkeep.verify(used.id)).problems, []);
  });
}

test('a prune keeps objects younger than the grace period', async (t) => {
  const used = await usedRepository(t);
  const storage = used.reopen();
  assert.equal(await storage.upkeep.maintain(used.id, 'prune'), 'done');
  const snapshot = await storage.refs.open(used.id);
  assert.equal((await snapshot.objects.info(used.unused.oid))?.type, 'commit');
});

test('maintenance of a repository without a commit does nothing', async (t) => {
  const { storage, id } = await openGitFixture(t);
  for (const job of ['repack', 'prune', 'commit-graph'] as const) {
    assert.equal(await storage.upkeep.maintain(id, job), 'done');
  }
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

test('all kinds of maintenance run concurrently with pushes', async (t) => {
  const used = await usedRepository(t);
  const outcomes: string[] = [];
  const repeat = async (job: 'repack' | 'prune' | 'commit-graph') => {
    for (let time = 1; time <= 4; time += 1) outcomes.push(await used.storage.upkeep.maintain(used.id, job));
  };
  const push = async () => {
    let old = used.third.oid;
    for (let time = 1; time <= 12; time += 1) {
      const next = buildCommit('sha1', { time: `${time}` }, [old]);
      await commitTo(used.storage, used.id, next.objects, [{ ref: MAIN, old, new: next.oid }]);
      old = next.oid;
    }
  };
  await Promise.all([repeat('repack'), repeat('prune'), repeat('commit-graph'), push()]);

  assert.equal(outcomes.length, 12);
  assert.deepEqual((await used.storage.upkeep.verify(used.id)).problems, []);
});

test('a push that was checked before a prune is checked again after it', async (t) => {
  const used = await usedRepository(t);
  const child = buildCommit('sha1', { d: '4' }, [used.unused.oid]);
  await using session = await used.storage.writes.begin(used.id);
  await session.writeObjects(child.objects);
  assert.deepEqual(await session.findDisconnected([child.oid]), []);
  assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');

  const update = { ref: 'refs/heads/late', old: null, new: child.oid };
  await assert.rejects(used.storage.writes.commit(session, [update], NOTHING_MORE), /push again/);
  const snapshot = await used.storage.refs.open(used.id);
  assert.equal(snapshot.ref('refs/heads/late'), undefined);
});

test('a push that does not need pruned objects succeeds', async (t) => {
  const used = await usedRepository(t);
  const child = buildCommit('sha1', { d: '4' }, [used.third.oid]);
  await using session = await used.storage.writes.begin(used.id);
  await session.writeObjects(child.objects);
  assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');

  const [result] = await used.storage.writes.commit(
    session,
    [{ ref: MAIN, old: used.third.oid, new: child.oid }],
    NOTHING_MORE,
  );
  assert.equal(result?.outcome, 'moved');
  assert.deepEqual((await used.storage.upkeep.verify(used.id)).problems, []);
});

test('a push of unreachable objects keeps them from a later prune', async (t) => {
  const used = await usedRepository(t);
  const update = { ref: 'refs/heads/saved', old: null, new: used.unused.oid };
  const results = await commitTo(used.storage, used.id, [], [update]);

  assert.deepEqual(results, [{ ref: 'refs/heads/saved', outcome: 'moved' }]);
  assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');
  const snapshot = await used.storage.refs.open(used.id);
  assert.equal((await snapshot.objects.info(used.unused.oid))?.type, 'commit');
});

test('a push of objects that a prune has deleted is refused', async (t) => {
  const used = await usedRepository(t);
  assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');
  const update = { ref: 'refs/heads/saved', old: null, new: used.unused.oid };

  await assert.rejects(commitTo(used.storage, used.id, [], [update]), /no object/);
  assert.equal((await used.storage.refs.open(used.id)).ref('refs/heads/saved'), undefined);
});

test('a push of objects that a concurrent prune deletes either keeps them or is refused', async (t) => {
  const used = await usedRepository(t);
  const prune = used.storage.upkeep.maintain(used.id, 'prune');
  const update = { ref: 'refs/heads/saved', old: null, new: used.unused.oid };
  const pushed = await commitTo(used.storage, used.id, [], [update]).catch((error: unknown) => error);

  // A prune that reads the refs after the push does not conflict with it.
  assert.match(await prune, /^(?:done|lost-race)$/);
  const snapshot = await used.storage.refs.open(used.id);
  if (pushed instanceof Error) {
    assert.match(pushed.message, /no object|push again/);
    assert.equal(snapshot.ref('refs/heads/saved'), undefined);
  } else {
    assert.deepEqual(pushed, [{ ref: 'refs/heads/saved', outcome: 'moved' }]);
    assert.equal((await snapshot.objects.info(used.unused.oid))?.type, 'commit');
  }
  assert.deepEqual((await used.storage.upkeep.verify(used.id)).problems, []);
});

test('objects that an interrupted prune has hidden are restored by their first reader', async (t) => {
  const used = await usedRepository(t);
  const hidden = hide(used, used.third.oid);

  const snapshot = await used.reopen().refs.open(used.id);
  assert.equal((await snapshot.objects.readCommit(used.third.oid)).tree, used.third.tree);
  assert.ok(!existsSync(hidden));
});

/** Moves an object where a prune hides it. @returns the path */
function hide({ gitDir }: UsedRepository, oid: string): string {
  const file = join(oid.slice(0, 2), oid.slice(2));
  const hidden = join(gitDir, 'upkeep', 'dead', 'condemned', file);
  mkdirSync(dirname(hidden), { recursive: true });
  renameSync(join(gitDir, 'objects', file), hidden);
  return hidden;
}

for (const ownsFolder of [false, true]) {
  const who = ownsFolder ? 'the server' : 'a command';
  test(`a check by ${who} restores no hidden files, and finds no problem in them`, async (t) => {
    const used = await usedRepository(t);
    const hidden = hide(used, used.third.oid);
    const { database, folder } = used;
    const storage = createLocalStorage({ database, folder, ownsFolder });
    afterTest(t, () => storage.close());

    assert.deepEqual((await storage.upkeep.verify(used.id)).problems, []);
    assert.ok(existsSync(hidden));
    await storage.upkeep.sweep(60_000);
    assert.equal(existsSync(hidden), !ownsFolder, 'only the server restores it');
  });
}

test('a check reports a missing folder, and does not create it', async (t) => {
  const used = await usedRepository(t);
  rmSync(used.gitDir, { recursive: true });
  const { problems } = await used.reopen().upkeep.verify(used.id);
  assert.deepEqual(problems, ['the folder of its objects is missing']);
  assert.ok(!existsSync(used.gitDir));
});

test('concurrent first readers restore the objects of an interrupted prune', async (t) => {
  const used = await usedRepository(t);
  const condemned = join(used.gitDir, 'upkeep', 'dead', 'condemned');
  const objects = join(used.gitDir, 'objects');
  for (const shard of readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    mkdirSync(condemned, { recursive: true });
    renameSync(join(objects, shard), join(condemned, shard));
  }

  const storage = used.reopen();
  const readers = Array.from({ length: 4 }, async () => {
    const snapshot = await storage.refs.open(used.id);
    return (await snapshot.objects.readCommit(used.third.oid)).tree;
  });
  assert.deepEqual(new Set(await Promise.all(readers)), new Set([used.third.tree]));
});

test('objects that an interrupted prune was deleting stay deleted', async (t) => {
  const used = await usedRepository(t);
  const file = join(used.unused.oid.slice(0, 2), used.unused.oid.slice(2));
  const deleted = join(used.gitDir, 'upkeep', 'dead', 'deleted', file);
  mkdirSync(dirname(deleted), { recursive: true });
  renameSync(join(used.gitDir, 'objects', file), deleted);

  const storage = used.reopen();
  const snapshot = await storage.refs.open(used.id);
  assert.equal(await snapshot.objects.info(used.unused.oid), undefined);
});

test('a deleted repository cannot be opened, and a sweep after the grace period deletes its files', async (t) => {
  const { storage, id, folder, database } = await usedRepository(t);
  await database.transaction((tx) => storage.refs.remove(id, tx));
  await assert.rejects(storage.refs.open(id), /repository not found/);
  assert.equal(await storage.upkeep.sweep(60_000), 0);
  assert.ok(existsSync(join(folder, '07', '7.git')));
  assert.equal(await storage.upkeep.sweep(0), 1);
  assert.ok(!existsSync(join(folder, '07', '7.git')));
  assert.equal(await storage.upkeep.sweep(0), 0);
});

test('a sweep deletes temporary files of transfers that an ended process left', async (t) => {
  const { storage, folder } = await usedRepository(t);
  const left = join(folder, 'spool', 'left');
  mkdirSync(dirname(left), { recursive: true });
  writeFileSync(left, 'half a pack');
  assert.equal(await storage.upkeep.sweep(60_000), 0, 'a new file may be in use');
  assert.equal(await storage.upkeep.sweep(-1), 1);
  assert.ok(!existsSync(left));
});

test('a sweep deletes abandoned quarantines, but not the quarantine of an open session', async (t) => {
  const used = await usedRepository(t);
  await using session = await used.storage.writes.begin(used.id);
  const open = buildCommit('sha1', { open: 'session' });
  await session.writeObjects(open.objects);
  assert.deepEqual(await session.findDisconnected([open.oid]), []);
  const abandoned = join(used.gitDir, 'quarantine', 'abandoned');
  mkdirSync(abandoned);
  utimesSync(abandoned, 1, 1);

  assert.equal(await used.storage.upkeep.sweep(60_000), 1);
  assert.equal(readdirSync(join(used.gitDir, 'quarantine')).length, 1);
});

test('a sweep deletes temporary files and locks of ended processes', async (t) => {
  const used = await usedRepository(t);
  const left = [
    'packed-refs.new-1',
    'packed-refs.new-1-link',
    'HEAD.new-1',
    'objects/pack/tmp_pack_1',
    'objects/pack/.tmp-1-pack-2.pack',
    'objects/pack/multi-pack-index.lock',
    'objects/info/commit-graph.lock',
    'changes/draft-1',
  ].map((name) => join(used.gitDir, name));
  mkdirSync(join(used.gitDir, 'changes'), { recursive: true });
  for (const path of left) {
    writeFileSync(path, '');
    utimesSync(path, 1, 1);
  }
  await assert.rejects(used.storage.upkeep.maintain(used.id, 'commit-graph'), /File exists/);

  assert.equal(await used.storage.upkeep.sweep(60_000), left.length);
  assert.equal(await used.storage.upkeep.maintain(used.id, 'commit-graph'), 'done');
  assert.deepEqual((await used.storage.upkeep.verify(used.id)).problems, []);
});

test('a partial pack does not block maintenance, and a sweep deletes it', async (t) => {
  const used = await usedRepository(t);
  await used.storage.upkeep.maintain(used.id, 'repack');
  const half = join(used.gitDir, 'objects', 'pack', `pack-${'0'.repeat(40)}.pack`);
  writeFileSync(half, '');
  const third = buildCommit('sha1', { more: '1' }, [used.third.oid]);
  await commitTo(used.storage, used.id, third.objects, [{ ref: MAIN, old: used.third.oid, new: third.oid }]);

  assert.equal(await used.storage.upkeep.maintain(used.id, 'repack'), 'done');
  assert.equal(await used.storage.upkeep.maintain(used.id, 'prune'), 'done');
  assert.ok(existsSync(half), 'the pack may still be arriving');
  utimesSync(half, 1, 1);
  assert.equal(await used.storage.upkeep.sweep(60_000), 1);
  assert.ok(!existsSync(half));
});

test('a sweep leaves packs alone that are being moved', async (t) => {
  const used = await usedRepository(t);
  await used.storage.upkeep.maintain(used.id, 'repack');
  const packs = join(used.gitDir, 'objects', 'pack');
  for (const name of readdirSync(packs)) utimesSync(join(packs, name), 1, 1);
  const engine = engineOf(used);
  const before = readdirSync(packs).toSorted();
  const index = join(packs, before.find((name) => name.startsWith('pack-') && name.endsWith('.idx')) ?? '');
  const { promise: waiting, resolve: setWaiting } = Promise.withResolvers<void>();
  const sweep = await engine.locks.alone(used.id, async () => {
    renameSync(index, join(used.gitDir, 'away'));
    const alone = engine.locks.alone.bind(engine.locks);
    engine.locks.alone = (...call) => {
      setWaiting();
      return alone(...call);
    };
    const swept = sweepFolders(engine, 60_000);
    await Promise.race([waiting, swept]);
    renameSync(join(used.gitDir, 'away'), index);
    return { swept };
  });
  assert.equal(await sweep.swept, 0);
  assert.deepEqual(readdirSync(packs).toSorted(), before);
});

test('a repack keeps all files of a pack if one of them is new', async (t) => {
  const used = await usedRepository(t);
  await used.storage.upkeep.maintain(used.id, 'repack');
  const folder = RepositoryFolder.of(used.folder, used.id);
  const files = await listObjectFiles(folder);
  const [pack = ''] = packsOf(used);
  utimesSync(join(used.gitDir, 'objects', 'pack', pack), 1, 1);

  await deleteUnchanged(folder, files);
  const left = readdirSync(join(used.gitDir, 'objects', 'pack')).filter((name) => name.startsWith('pack-'));
  assert.deepEqual(
    new Set(left.map((name) => name.replace(/\..*$/, ''))),
    new Set([pack.replace('.pack', '')]),
  );
  assert.ok(left.some((name) => name.endsWith('.idx')));
});

test('measure counts bytes, packs and loose objects', async (t) => {
  const { storage, id } = await openGitFixture(t);
  assert.deepEqual(await storage.upkeep.measure(id), { bytes: 0, packs: 0, looseObjects: 0 });
  const commit = buildCommit('sha1', { a: 'x'.repeat(1000) });
  await commitTo(storage, id, commit.objects, [{ ref: MAIN, old: null, new: commit.oid }]);
  const loose = await storage.upkeep.measure(id);
  assert.ok(loose.bytes > 100);
  assert.deepEqual([loose.packs, loose.looseObjects], [0, 3]);

  await storage.upkeep.maintain(id, 'repack');
  const packed = await storage.upkeep.measure(id);
  assert.deepEqual([packed.packs, packed.looseObjects], [1, 0]);
});

test('verify names missing and broken objects', async (t) => {
  const used = await usedRepository(t);
  const path = (oid: string) => join(used.gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
  rmSync(path(used.third.oid));
  chmodSync(path(used.first.tree), 0o600);
  writeFileSync(path(used.first.tree), 'broken');

  const { problems } = await used.reopen().upkeep.verify(used.id);
  assert.ok(problems.some((line) => line.includes(used.third.oid)));
  assert.ok(problems.some((line) => line.includes(used.first.tree)));
});

test('manually changed refs are never served, and imported only on request', async (t) => {
  const used = await usedRepository(t);
  const { storage, id, gitDir } = used;
  const mirrorNow = async () => {
    const snapshot = await storage.refs.open(id);
    await mirrorOf(storage, snapshot);
    return snapshot.ref(MAIN);
  };
  await mirrorNow();
  git(gitDir, ['update-ref', MAIN, used.first.oid]);
  git(gitDir, ['update-ref', 'refs/heads/by-hand', used.second.oid]);
  assert.equal(await mirrorNow(), used.third.oid);
  assert.equal(
    git(gitDir, ['for-each-ref', '--format=%(objectname) %(refname)']),
    `${used.third.oid} ${MAIN}`,
  );

  git(gitDir, ['update-ref', 'refs/heads/by-hand', used.second.oid]);
  git(gitDir, ['symbolic-ref', 'HEAD', 'refs/heads/by-hand']);
  assert.notDeepEqual((await storage.upkeep.verify(id)).problems, []);
  const imported = await storage.upkeep.importRefs(id);
  assert.deepEqual(imported, [{ ref: 'refs/heads/by-hand', old: null, new: used.second.oid }]);
  const snapshot = await storage.refs.open(id);
  assert.equal(snapshot.ref('refs/heads/by-hand'), used.second.oid);
  assert.equal(snapshot.head, 'refs/heads/by-hand');
  await mirrorOf(storage, snapshot);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

test('an import keeps changes that the mirror does not contain yet', async (t) => {
  const used = await usedRepository(t);
  const before = await used.storage.refs.open(used.id);
  await mirrorOf(used.storage, before);
  const fourth = buildCommit('sha1', { d: '4' }, [used.third.oid]);
  await commitTo(used.storage, used.id, fourth.objects, [
    { ref: MAIN, old: used.third.oid, new: fourth.oid },
  ]);

  assert.deepEqual(await used.storage.upkeep.importRefs(used.id), []);
  const after = await used.storage.refs.open(used.id);
  assert.equal(after.ref(MAIN), fourth.oid);
});
