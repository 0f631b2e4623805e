import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLocalStorage } from '../../../src/git/create.ts';
import { condemn } from '../../../src/git/folders/condemned.ts';
import { listObjectFiles } from '../../../src/git/folders/object-files.ts';
import { newObject } from '../../../src/git/format/new-object.ts';
import { prune } from '../../../src/git/maintenance/prune.ts';
import { deleteReplaced, rewritableOf } from '../../../src/git/maintenance/rewrite-packs.ts';
import { inWorkshop, subjectOf } from '../../../src/git/maintenance/workshop.ts';
import { loosePath } from '../../../src/git/objects/loose-objects.ts';
import { encodePack } from '../../../src/git/packs/encode-pack.ts';
import { gitSearchPath, setGitSearchPath } from '../../../src/git/processes/child.ts';
import { afterTest } from '../../support/after-test.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { until } from '../../support/until.ts';
import { buildCommit, commitTo, git, MAIN, NOTHING_MORE, temporaryFolder } from '../git-fixture.ts';
import { engineOf, packsOf, usedRepository } from '../used-repository.ts';

const HOUR_MS = 60 * 60_000;
const TURNS = 2_000;

/** Makes git wait before it packs unreachable objects: all of them, or then the younger ones. */
function holdBackPrune(
  t: TestContext,
  which: 'all' | 'younger' = 'all',
): { isWaiting(): boolean; go(): void } {
  const folder = temporaryFolder(t);
  const path = gitSearchPath();
  const [waiting, go] = [join(folder, 'waiting'), join(folder, 'go')];
  const wait = `touch '${waiting}'; while [ ! -e '${go}' ]; do sleep 0.01; done`;
  const option = `--cruft-expiration=${which === 'all' ? 'never' : '@'}`;
  const script = `PATH='${path}'; case "$*" in *${option}*) ${wait};; esac; exec git "$@"`;
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setGitSearchPath(`${folder}:${path}`);
  afterTest(t, () => setGitSearchPath(path));
  return { isWaiting: () => existsSync(waiting), go: () => writeFileSync(go, '') };
}

test('a prune succeeds although a commit and a forced push come in while it packs', async (t) => {
  const used = await usedRepository(t);
  const { storage, id } = used;
  const held = holdBackPrune(t);
  const prune = storage.upkeep.maintain(id, 'prune');
  await until(held.isWaiting);
  const fourth = buildCommit('sha1', { d: '4' }, [used.third.oid]);
  const fifth = buildCommit('sha1', { e: '5' }, [used.third.oid]);
  await commitTo(storage, id, fourth.objects, [{ ref: MAIN, old: used.third.oid, new: fourth.oid }]);
  await commitTo(storage, id, fifth.objects, [{ ref: MAIN, old: fourth.oid, new: fifth.oid }]);
  held.go();

  assert.equal(await prune, 'done');
  const snapshot = await storage.refs.open(id);
  assert.equal(await snapshot.objects.info(used.unused.oid), undefined);
  assert.equal(snapshot.ref(MAIN), fifth.oid);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

test('a prune deletes nothing and leaves no copy if a push uses an unreachable object again', async (t) => {
  const used = await usedRepository(t);
  const { storage, id, gitDir } = used;
  const before = git(gitDir, ['cat-file', '--batch-all-objects', '--batch-check']);
  const held = holdBackPrune(t);
  const prune = storage.upkeep.maintain(id, 'prune');
  await until(held.isWaiting);
  const [result] = await commitTo(
    storage,
    id,
    [],
    [{ ref: 'refs/heads/saved', old: null, new: used.unused.oid }],
  );
  assert.equal(result?.outcome, 'moved');
  held.go();

  assert.equal(await prune, 'lost-race');
  assert.equal(git(gitDir, ['cat-file', '--batch-all-objects', '--batch-check']), before);
  assert.equal(objectsStored(gitDir), before.split('\n').length, 'no object is stored twice');
  assert.equal(packsOf(used).length, 2);
  assert.deepEqual(readdirSync(join(gitDir, 'upkeep')), []);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
  assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

for (const [which, outcome] of [
  ['all', 'done'],
  ['younger', 'lost-race'],
] as const) {
  const when = `while it packs ${which === 'all' ? which : `the ${which}`} unused objects`;
  test(`a prune deletes nothing that an object needs which is kept without a ref ${when}`, async (t) => {
    const used = await usedRepository(t);
    const { id, unused } = used;
    const storage = createLocalStorage({
      database: used.database,
      folder: used.folder,
      pruneGraceMs: HOUR_MS,
    });
    afterTest(t, () => storage.close());
    for (const { path } of await listObjectFiles(await engineOf(used).placedFolder(id)))
      utimesSync(join(used.gitDir, 'objects', path), 1, 1);
    const held = holdBackPrune(t, which);
    const prune = storage.upkeep.maintain(id, 'prune');
    await until(held.isWaiting);
    const next = buildCommit('sha1', { later: 'x' }, [unused.oid]);
    await using session = await storage.writes.begin(id);
    await session.writeObjects(next.objects);
    assert.ok(await storage.writes.storeObjects(session, async () => {}));
    held.go();

    assert.equal(await prune, outcome);
    assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');
    const { objects } = await storage.refs.open(id);
    assert.deepEqual((await objects.readCommit(next.oid)).parents, [unused.oid]);
    assert.equal((await objects.info(unused.oid))?.type, 'commit');
  });
}

/** Calls `before` ahead of each deletion of a file. */
function beforeEachDeletion(t: TestContext, before: (path: string) => Promise<void>): void {
  const { rm } = files;
  const mocked = t.mock.method(files, 'rm', async (...args: Parameters<typeof rm>) => {
    await before(String(args[0]));
    return rm(...args);
  });
  syncBuiltinESMExports();
  afterTest(t, () => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}

test('a prune deletes no kept object that is moved to a file between its look at an old file and the deletion', async (t) => {
  const used = await usedRepository(t);
  const { id } = used;
  const storage = createLocalStorage({
    database: used.database,
    folder: used.folder,
    pruneGraceMs: HOUR_MS,
    freshMoveMs: HOUR_MS,
  });
  afterTest(t, () => storage.close());
  const blob = newObject('sha1', 'blob', Buffer.from('kept twice'));
  const keep = async () => {
    await using session = await storage.writes.begin(id);
    await session.writeObjects([blob]);
    assert.ok(await storage.writes.storeObjects(session, async () => {}));
  };
  await keep();
  await storage.upkeep.moveFreshToFiles();
  const path = join(used.gitDir, 'objects', loosePath(blob.oid));
  utimesSync(path, 1, 1);
  let moving: Promise<void> | undefined;
  beforeEachDeletion(t, async (removed) => {
    if (removed !== path || moving !== undefined) return;
    moving = storage.upkeep.moveFreshToFiles();
    // It waits for the deletion; otherwise it would be done in these turns.
    for (let turn = 0; turn < TURNS && statSync(path).mtimeMs === 1_000; turn += 1) await setImmediate();
  });
  const held = holdBackPrune(t);
  const prune = storage.upkeep.maintain(id, 'prune');
  await until(held.isWaiting);
  await keep();
  held.go();

  assert.equal(await prune, 'done');
  assert.ok(moving !== undefined);
  await moving;
  assert.equal((await (await storage.refs.open(id)).objects.info(blob.oid))?.type, 'blob');
});

test('a small push onto a branch that is deleted and purged meanwhile moves no ref', async (t) => {
  const { storage, id, unused } = await usedRepository(t);
  const side = { ref: 'refs/heads/side', oid: unused.oid };
  await commitTo(storage, id, [], [{ ref: side.ref, old: null, new: side.oid }]);
  const next = buildCommit('sha1', { unused: 'x', more: 'y' }, [side.oid]);
  await using session = await storage.writes.begin(id);
  const started = watchProcesses(t);
  await session.ingestPack(encodePack('sha1', next.objects), { bytesMax: 1_000_000, onto: [side.oid] });
  assert.deepEqual(await session.findDisconnected([next.oid]), []);
  assert.ok(!started().some((command) => /index-pack|rev-list/.test(command)));

  await commitTo(storage, id, [], [{ ref: side.ref, old: side.oid, new: null }]);
  assert.notEqual(await storage.upkeep.purge(id), 'lost-race');

  const update = { ref: side.ref, old: null, new: next.oid };
  await assert.rejects(
    storage.writes.commit(session, [update], NOTHING_MORE),
    /have been deleted; push again/,
  );
  assert.equal((await storage.refs.open(id)).ref(side.ref), undefined);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

/** Number of objects in all packs and loose files, counting copies. */
function objectsStored(gitDir: string): number {
  const counts = Object.fromEntries(
    git(gitDir, ['count-objects', '-v'])
      .split('\n')
      .map((line) => line.split(': ') as [string, string]),
  );
  return Number(counts['in-pack']) + Number(counts.count);
}

test('a failed prune leaves no copy', async (t) => {
  const used = await usedRepository(t);
  const { storage, id, gitDir } = used;
  const files = () => readdirSync(join(gitDir, 'objects'), { recursive: true }).toSorted();
  const before = files();
  const folder = temporaryFolder(t);
  const path = gitSearchPath();
  const script = `PATH='${path}'; case "$*" in *--cruft*) exit 1;; esac; exec git "$@"`;
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setGitSearchPath(`${folder}:${path}`);
  afterTest(t, () => setGitSearchPath(path));

  await assert.rejects(storage.upkeep.maintain(id, 'prune'), /pack-objects/);
  assert.deepEqual(files(), before);
});

test('an object that was being read when a prune deleted it is not reported afterwards', async (t) => {
  const used = await usedRepository(t);
  const engine = engineOf(used);
  afterTest(t, () => engine.pool.close());
  const { promise: answered, resolve: setAnswered } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const ask = engine.pool.ask.bind(engine.pool);
  engine.pool.ask = async (...request) => {
    const answer = await ask(...request);
    setAnswered();
    await released;
    return answer;
  };
  const { objects } = await engine.open(used.id);
  const early = objects.readCommit(used.unused.oid);
  await answered;
  assert.equal(await prune(engine, used.id, 0), 'done');
  release();

  await assert.rejects(early, /commit .* not found/);
  assert.equal(await objects.info(used.unused.oid), undefined);
});

test('a push gets its turn before all files of a large repack are deleted', async (t) => {
  const used = await usedRepository(t);
  const blobs = Array.from({ length: 300 }, (_, nth) => buildCommit('sha1', { a: `${nth}` }).objects);
  await commitTo(used.storage, used.id, blobs.flat(), [
    { ref: MAIN, old: used.third.oid, new: used.second.oid },
  ]);
  const engine = engineOf(used);
  const from = await rewritableOf(engine, used.id);
  const left = () => readdirSync(join(used.gitDir, 'objects'), { recursive: true }).length;
  const before = left();
  const alone = engine.locks.alone.bind(engine.locks);
  let isDeleting = false;
  engine.locks.alone = (id, work) => {
    isDeleting = true;
    return alone(id, work);
  };

  const deletion = deleteReplaced(engine, used.id, from, []);
  await until(() => isDeleting);
  const atPush = await engine.locks.together(used.id, async () => left());
  await deletion;
  assert.ok(
    before > atPush && atPush > left(),
    `${before} files, ${atPush} at the push, ${left()} at the end`,
  );
});

test('files that a failed job could not restore stay hidden until a sweep restores them', async (t) => {
  const used = await usedRepository(t);
  const { storage, id } = used;
  const engine = engineOf(used);
  afterTest(t, () => engine.pool.close());
  const subject = await subjectOf(engine, id);
  const objects = () => listObjectFiles(subject.folder);
  const paths = (await objects()).map(({ path }) => path);
  const job = inWorkshop(engine, subject, async ({ path }) => {
    await condemn(subject.folder, path, paths);
    throw new Error('the disk fails');
  });
  await assert.rejects(job, /the disk fails/);
  assert.deepEqual(await objects(), []);

  await storage.upkeep.sweep(0);

  assert.deepEqual((await objects()).map(({ path }) => path).toSorted(), paths.toSorted());
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});
