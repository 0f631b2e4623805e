import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import files, { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Cost, watchCosts } from '../../src/base/core/costs.ts';
import { RequestCaller, runFor } from '../../src/base/core/fairness/caller.ts';
import { watchSyncs } from '../../src/base/core/files/durable-files.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import type { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import { compress } from '../../src/git/format/compress.ts';
import type { GitObject } from '../../src/git/format/model.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { FreshObjects } from '../../src/git/fresh/fresh-objects.ts';
import { insertFresh } from '../../src/git/fresh/store.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { purge } from '../../src/git/maintenance/prune.ts';
import {
  addLooseFiles,
  decodeLooseFile,
  encodeLooseFile,
  loosePath,
} from '../../src/git/objects/loose-objects.ts';
import { addPack } from '../../src/git/packs/write-pack.ts';
import { afterTest } from '../support/after-test.ts';
import { mirrorOf, objectsFolderOf } from '../support/git-folder.ts';
import { until } from '../support/until.ts';
import {
  buildCommit,
  commitTo,
  type GitFixture,
  git,
  MAIN,
  NOTHING_MORE,
  openGitFixture,
} from './git-fixture.ts';
import { engineOf } from './used-repository.ts';

/** Makes a small commit, whose objects are rows of the database and no files. */
async function freshCommit(t: TestContext, format: 'sha1' | 'sha256' = 'sha1') {
  const fixture = await openGitFixture(t, format);
  const commit = buildCommit(format, { a: '1' });
  await commitTo(fixture.storage, fixture.id, commit.objects, [{ ref: MAIN, old: null, new: commit.oid }]);
  assert.equal(await rowsOf(fixture), 3, 'a file, its tree and the commit');
  const gitDir = join(fixture.folder, '07', '7.git');
  assert.ok(!existsSync(gitDir));
  return { ...fixture, commit, gitDir };
}

async function rowsOf({ database }: Pick<GitFixture, 'database'>): Promise<number> {
  return (await database.reader.selectFrom('git_fresh_objects').select('oid').execute()).length;
}

function openAgain(
  t: TestContext,
  { database, folder }: Pick<GitFixture, 'database' | 'folder'>,
  options: { ownsFolder: boolean },
) {
  const storage = createLocalStorage({ database, folder, ...options });
  afterTest(t, () => storage.close());
  return storage;
}

test('a session whose first commit moves no ref commits its objects with the second one', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const commit = buildCommit('sha1', { a: '1' });
  await using session = await storage.writes.begin(id);
  await session.writeObjects(commit.objects);
  const stale = { ref: MAIN, old: 'ab'.repeat(20), new: commit.oid };
  const [first] = await storage.writes.commit(session, [stale], NOTHING_MORE);
  assert.equal(first?.outcome, 'rejected');
  const [second] = await storage.writes.commit(session, [{ ...stale, old: null }], NOTHING_MORE);
  assert.equal(second?.outcome, 'moved');
  const other = { ref: 'refs/heads/other', old: null, new: commit.oid };
  await storage.writes.commit(session, [other], NOTHING_MORE);
  const { objects } = await reopen().refs.open(id);
  for (const { oid } of commit.objects) assert.notEqual(await objects.info(oid), undefined);
});

for (const ownsFolder of [true, false]) {
  const who = ownsFolder ? 'the next server' : 'a command beside the server';
  test(`${who} reads the objects of a commit that are no files yet`, async (t) => {
    const fresh = await freshCommit(t, 'sha256');
    const { id, commit, gitDir } = fresh;
    const storage = openAgain(t, fresh, { ownsFolder });

    const snapshot = await storage.refs.open(id);
    assert.equal((await snapshot.objects.readTree(commit.tree)).length, 1);
    await mirrorOf(storage, snapshot);
    assert.equal(git(gitDir, ['rev-list', '--objects', '--count', MAIN]), '3', 'git finds them, too');
    assert.equal(await rowsOf(fresh), 3, 'files that are not synced do not replace rows');
  });

  test(`a check by ${who} finds no problem in objects that are no files yet`, async (t) => {
    const fresh = await freshCommit(t);
    const storage = openAgain(t, fresh, { ownsFolder });

    assert.deepEqual((await storage.upkeep.verify(fresh.id)).problems, []);
    assert.equal(await rowsOf(fresh), 3);
  });
}

test('a storage reads what another one has committed meanwhile', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, id, commit } = fresh;
  const other = openAgain(t, fresh, { ownsFolder: true });
  assert.equal((await (await other.refs.open(id)).objects.readCommit(commit.oid)).tree, commit.tree);
  const next = buildCommit('sha1', { a: '2' }, [commit.oid]);
  await commitTo(storage, id, next.objects, [{ ref: MAIN, old: commit.oid, new: next.oid }]);

  const snapshot = await other.refs.open(id);
  assert.equal(snapshot.ref(MAIN), next.oid);
  assert.equal((await snapshot.objects.readCommit(next.oid)).tree, next.tree);
});

test('a command beside the server writes files, which the server need not know about', async (t) => {
  const fixture = await openGitFixture(t);
  const storage = openAgain(t, fixture, { ownsFolder: false });
  const commit = buildCommit('sha1', { a: '1' });
  await commitTo(storage, fixture.id, commit.objects, [{ ref: MAIN, old: null, new: commit.oid }]);

  assert.equal(await rowsOf(fixture), 0);
  const snapshot = await fixture.storage.refs.open(fixture.id);
  assert.equal((await snapshot.objects.readCommit(commit.oid)).tree, commit.tree);
});

test('a rejected update leaves no object behind', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, id, commit } = fresh;
  const lost = buildCommit('sha1', { a: 'lost' });
  const [result] = await commitTo(storage, id, lost.objects, [{ ref: MAIN, old: null, new: lost.oid }]);

  assert.equal(result?.outcome, 'rejected');
  assert.equal(await rowsOf(fresh), 3);
  const snapshot = await storage.refs.open(id);
  assert.equal(await snapshot.objects.info(lost.oid), undefined);
  assert.equal((await snapshot.objects.readCommit(commit.oid)).tree, commit.tree);
});

test('a failed transaction leaves no object behind', async (t) => {
  const { storage, id, commit, database } = await freshCommit(t);
  const lost = buildCommit('sha1', { a: 'lost' }, [commit.oid]);
  await using session = await storage.writes.begin(id);
  await session.writeObjects(lost.objects);
  const inTransaction = () => Promise.reject(new Error('a listener fails'));
  const update = { ref: MAIN, old: commit.oid, new: lost.oid };
  await assert.rejects(
    storage.writes.commit(session, [update], { atomic: true, inTransaction }),
    /a listener fails/,
  );

  assert.equal(await rowsOf({ database }), 3);
  const { objects } = await storage.refs.open(id);
  assert.equal(await objects.info(lost.oid), undefined);
});

test('an object of a failed change stays for another change that has it, too', async (t) => {
  const fixture = await openGitFixture(t);
  const { fresh, ...engine } = await engineWithFolder(t, fixture);
  const blob = newObject('sha1', 'blob', Buffer.from('in both changes'));
  const [failing, succeeding] = [[await encodeLooseFile(blob)], [await encodeLooseFile(blob)]];
  fresh.announce(fixture.id, failing);
  fresh.announce(fixture.id, succeeding);
  fresh.withdraw(fixture.id, failing);

  await fresh.copyToFiles(fixture.id, engine.folder);
  assert.ok(existsSync(join(engine.folder.objects, loosePath(blob.oid))));
});

async function engineWithFolder(t: TestContext, fixture: GitFixture) {
  const engine = engineOf(fixture);
  afterTest(t, () => engine.pool.close());
  return { engine, fresh: engine.fresh, folder: await engine.createdFolder(fixture.id, fixture.format) };
}

test('a mirror names no commit whose objects are in no file', async (t) => {
  const { storage, id, commit, gitDir } = await freshCommit(t);
  const before = await storage.refs.open(id);
  await mirrorOf(storage, before);
  const next = buildCommit('sha1', { a: '2' }, [commit.oid]);
  // The second write to files happens after the refs are read, so it comes to this commit.
  const copyToFiles = FreshObjects.prototype.copyToFiles;
  let isFirst = true;
  t.mock.method(
    FreshObjects.prototype,
    'copyToFiles',
    async function (this: FreshObjects, ...args: [number, RepositoryFolder]) {
      await copyToFiles.apply(this, args);
      if (!isFirst) return;
      isFirst = false;
      await commitTo(storage, id, next.objects, [{ ref: MAIN, old: commit.oid, new: next.oid }]);
    },
  );
  await commitTo(storage, id, [], [{ ref: 'refs/heads/other', old: null, new: commit.oid }]);
  await mirrorOf(storage, await storage.refs.open(id));

  assert.equal(isFirst, false);
  assert.equal(git(gitDir, ['rev-list', '--objects', '--count', '--all']), '6');
});

test('a copy for a reader replaces a durable file only by a durable one', async (t) => {
  const fixture = await openGitFixture(t);
  const { fresh, folder } = await engineWithFolder(t, fixture);
  const file = await encodeLooseFile(newObject('sha1', 'blob', Buffer.from('relied on')));
  await addLooseFiles(folder, [file]);
  const path = join(folder.objects, loosePath(file.oid));
  const synced: number[] = [];
  afterTest(
    t,
    watchSyncs((each) => synced.push(statSync(each).ino)),
  );
  fresh.announce(fixture.id, [file]);
  await fresh.copyToFiles(fixture.id, folder);

  assert.ok(synced.includes(statSync(path).ino));
});

test('a copy for a reader never replaces a file that was moved there while it was written', async (t) => {
  const fixture = await openGitFixture(t);
  const { fresh, folder } = await engineWithFolder(t, fixture);
  const file = await encodeLooseFile(newObject('sha1', 'blob', Buffer.from('moved at the same time')));
  const path = join(folder.objects, loosePath(file.oid));
  let moved: number | undefined;
  const { writeFile } = files;
  const write = t.mock.method(files, 'writeFile', async (...args: Parameters<typeof writeFile>) => {
    await writeFile(...args);
    if (moved !== undefined) return;
    await addLooseFiles(folder, [file]);
    moved = statSync(path).ino;
  });
  syncBuiltinESMExports();
  afterTest(t, () => {
    write.mock.restore();
    syncBuiltinESMExports();
  });
  fresh.announce(fixture.id, [file]);
  await fresh.copyToFiles(fixture.id, folder);

  assert.ok(moved !== undefined);
  assert.equal(statSync(path).ino, moved);
  assert.deepEqual(readdirSync(folder.quarantines), []);
});

test('a copy for a reader writes what this process has committed once, and waits for no disk', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, id } = fresh;
  const synced: string[] = [];
  afterTest(
    t,
    watchSyncs((path) => synced.push(path)),
  );

  // The storage holds the objects, and has not read their rows yet.
  const { gitDir } = await objectsFolderOf(storage, await storage.refs.open(id));

  assert.equal(git(gitDir, ['cat-file', '-t', fresh.commit.oid]), 'commit');
  const drafts = synced.filter((path) => basename(path).startsWith('object-'));
  assert.deepEqual(drafts, []);
});

/** Objects around the sizes at which they are compressed, and with which window. */
function blobsOfManySizes(): readonly GitObject[] {
  const sizes = [
    0, 1, 255, 256, 511, 512, 513, 1_014, 1_015, 1_016, 1_017, 4_096, 4_097, 20_000, 32_769, 70_000,
  ];
  const contents = sizes.flatMap((size) => [
    Buffer.alloc(size, 0xff),
    Buffer.from(Array.from({ length: size }, (_, index) => (index * index * 31) % 256)),
    Buffer.from(randomBytes(size)),
    Buffer.from('lorem ipsum dolor '.repeat(Math.ceil(size / 18)).slice(0, size)),
  ]);
  const blobs = contents.map((content) => newObject('sha1', 'blob', content));
  return [...new Map(blobs.map((blob) => [blob.oid, blob])).values()];
}

test('git reads packs of objects of every size', async (t) => {
  const fixture = await openGitFixture(t);
  const { folder } = await engineWithFolder(t, fixture);
  const blobs = blobsOfManySizes();
  const files = await Promise.all(blobs.map(encodeLooseFile));
  await addPack(folder, 'sha1', files);

  const gitDir = dirname(folder.objects);
  const [pack = ''] = (await readdir(folder.packs)).filter((name) => name.endsWith('.idx'));
  const listed = git(gitDir, ['verify-pack', '-v', join(folder.packs, pack)]);
  for (const { oid, content } of blobs)
    assert.match(listed, new RegExp(`^${oid} blob +${content.length} `, 'm'));
});

test('a thousand small objects take little more memory than their bytes when they are compressed and read', async () => {
  const objects = Array.from({ length: 1_000 }, (_, index) =>
    newObject('sha1', 'blob', Buffer.from(`${index} `.repeat(300))),
  );
  const before = process.memoryUsage().arrayBuffers;
  const packed = await Promise.all(objects.map(({ content }) => compress(content, 'packed')));
  const loose = await Promise.all(objects.map(encodeLooseFile));
  const read = loose.map(decodeLooseFile);
  const mib = (process.memoryUsage().arrayBuffers - before) / 2 ** 20;

  const bytesOf = (each: readonly Uint8Array[]) => each.reduce((sum, { length }) => sum + length, 0);
  const wanted = [...packed, ...loose.map(({ bytes }) => bytes), ...read.map(({ content }) => content)];
  assert.ok(bytesOf(wanted) > 2 ** 20);
  assert.ok(mib < 12, `${mib} MiB`);
});

test('git reads loose files of every size, with and without compression', async (t) => {
  const fixture = await openGitFixture(t);
  const { folder } = await engineWithFolder(t, fixture);
  const blobs = blobsOfManySizes();
  const files = await Promise.all(blobs.map(encodeLooseFile));
  await addLooseFiles(folder, files);

  const gitDir = dirname(folder.objects);
  assert.equal(git(gitDir, ['fsck', '--strict', '--no-dangling']), '');
  for (const [index, file] of files.entries()) {
    assert.equal(git(gitDir, ['cat-file', '-s', file.oid]), `${blobs[index]?.content.length}`);
    assert.deepEqual(decodeLooseFile(file).content, blobs[index]?.content);
  }
});

test('objects that several changes bring count until they are moved to files, and those of a deleted repository no longer', async (t) => {
  const fixture = await openGitFixture(t);
  const { fresh, engine, folder } = await engineWithFolder(t, fixture);
  const file = await encodeLooseFile(newObject('sha1', 'blob', Buffer.from('brought often')));
  for (let count = 0; count < 3; count += 1) {
    fresh.announce(fixture.id, [file]);
    await fixture.database.transaction((tx) => insertFresh(tx, fixture.id, [file]));
  }
  assert.deepEqual(fresh.waiting(), [fixture.id]);
  await fresh.moveToFiles(fixture.id, folder, fixture.format);
  assert.deepEqual(fresh.waiting(), []);

  fresh.announce(fixture.id, [file]);
  await fixture.database.transaction((tx) => fixture.storage.refs.remove(fixture.id, tx));
  await engine.moveFreshToFiles(fixture.id);
  assert.deepEqual(fresh.waiting(), []);
});

test('objects become files a moment after their commit', async (t) => {
  const { database, folder, id } = await openGitFixture(t);
  const storage = createLocalStorage({ database, folder, freshMoveMs: 1 });
  afterTest(t, () => storage.close());
  const commit = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, commit.objects, [{ ref: MAIN, old: null, new: commit.oid }]);

  await until(async () => (await rowsOf({ database })) === 0);
  assert.equal(git(join(folder, '07', '7.git'), ['cat-file', '-t', commit.oid]), 'commit');
});

test('making objects files is not work of the request that wrote them', async (t) => {
  const { database, folder, id } = await openGitFixture(t);
  const storage = createLocalStorage({ database, folder, freshMoveMs: 1 });
  afterTest(t, () => storage.close());
  const commit = buildCommit('sha1', { a: '1' });
  const costs: Cost[] = [];
  afterTest(
    t,
    watchCosts((cost) => costs.push(cost)),
  );
  const update = { ref: MAIN, old: null, new: commit.oid };
  const caller = new RequestCaller('127.0.0.1', () => AbortSignal.any([]));
  await runFor(caller, () => commitTo(storage, id, commit.objects, [update]));

  await until(async () => (await rowsOf({ database })) === 0);
  assert.equal(costs.filter((cost) => cost === 'transactions').length, 1);
  assert.equal(costs.filter((cost) => cost === 'syncs').length, 0);
});

test('a close makes all objects files', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, commit, gitDir } = fresh;
  await storage.close();

  assert.equal(await rowsOf(fresh), 0);
  assert.equal(git(gitDir, ['cat-file', '-t', commit.oid]), 'commit');
});

test('a purge deletes an unused object that is no file yet', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, id, commit } = fresh;
  const other = buildCommit('sha1', { a: 'other' });
  await commitTo(storage, id, other.objects, [{ ref: MAIN, old: commit.oid, new: other.oid }]);

  assert.notEqual(await storage.upkeep.purge(id), 'lost-race');
  assert.equal(await rowsOf(fresh), 0);
  const again = openAgain(t, fresh, { ownsFolder: true });
  const { objects } = await again.refs.open(id);
  assert.equal(await objects.info(commit.oid), undefined);
  assert.equal((await objects.readCommit(other.oid)).tree, other.tree);
});

test('a purge leaves no copy that a reader is being given meanwhile', async (t) => {
  const fixture = await freshCommit(t);
  const { storage, id, commit } = fixture;
  const other = buildCommit('sha1', { a: 'other' });
  await commitTo(storage, id, other.objects, [{ ref: MAIN, old: commit.oid, new: other.oid }]);
  const { engine, fresh, folder } = await engineWithFolder(t, fixture);
  await engine.versions.current(id);
  await fresh.copyToFiles(id, folder);
  const copied = await encodeLooseFile(newObject('sha1', 'blob', Buffer.from('1')));
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* slowly() {
    reached.resolve();
    await opened.promise;
    yield copied.bytes;
  }
  // A file takes its content in pieces, too.
  const bytes = Object.assign(slowly(), { length: copied.bytes.length }) as unknown as Uint8Array;
  fresh.announce(id, [{ oid: copied.oid, bytes }]);
  const reading = fresh.copyToFiles(id, folder);
  await reached.promise;

  const waitForCopies = fresh.waitForCopies.bind(fresh);
  fresh.waitForCopies = (of) => {
    opened.resolve();
    return waitForCopies(of);
  };
  await Promise.all([reading, purge(engine, id).finally(opened.resolve)]);
  const { objects } = await openAgain(t, fixture, { ownsFolder: true }).refs.open(id);
  assert.equal(await objects.info(copied.oid), undefined);
  assert.equal((await objects.readCommit(other.oid)).tree, other.tree);
});

test('a repository takes its objects along when it is deleted', async (t) => {
  const fresh = await freshCommit(t);
  await fresh.database.transaction((tx) => fresh.storage.refs.remove(fresh.id, tx));
  assert.equal(await rowsOf(fresh), 0);
  await fresh.storage.upkeep.moveFreshToFiles();
});

test('changes become files at once while too many objects wait', async (t) => {
  const fresh = await freshCommit(t);
  const { storage, id, commit } = fresh;
  let tip = commit.oid;
  // Random text does not shrink, and stays below the size of a large change.
  const part = Math.floor(GIT_LIMITS.freshObjectsBytesMax / 2);
  // It is in the file and in the message of the commit, each of which is compressed to three quarters as base64.
  const written = (2 * part * 3) / 4;
  const enough = Math.ceil((GIT_LIMITS.freshBytesWaitingMax / written) * 1.1);
  const before = await rowsOf(fresh);
  for (let index = 0; index < enough; index += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.floor((part * 3) / 4)));
    const next = buildCommit('sha1', { a: Buffer.from(bytes).toString('base64') }, [tip]);
    await commitTo(storage, id, next.objects, [{ ref: MAIN, old: tip, new: next.oid }]);
    tip = next.oid;
  }
  assert.ok((await rowsOf(fresh)) < before + enough * 3, 'the last changes wrote no rows');
  assert.equal((await (await storage.refs.open(id)).objects.readCommit(tip)).oid, tip);
});
