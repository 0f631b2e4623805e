import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { watchSyncs } from '../../src/base/core/files/durable-files.ts';
import type { Tx } from '../../src/base/database/database.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import type { RefUpdate } from '../../src/git/interface/refs.ts';
import type { WriteSession } from '../../src/git/interface/writes.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { setGitSearchPath } from '../../src/git/processes/child.ts';
import { treeOn } from '../../src/git/trees/write-tree.ts';
import {
  buildCommit,
  commitTo,
  type GitFixture,
  git,
  MAIN,
  openGitFixture,
  packOf,
  temporaryFolder,
} from '../git/git-fixture.ts';
import { afterTest } from '../support/after-test.ts';

// Runs on a disk, as a server does.

/** A synced path: its inode, and for a folder the names that it contained then. */
interface Sync {
  readonly inode: number;
  readonly names: readonly string[];
}

function recordSyncs(t: TestContext): Sync[] {
  const syncs: Sync[] = [];
  const stop = watchSyncs((path) => {
    const stats = statSync(path);
    syncs.push({ inode: stats.ino, names: stats.isDirectory() ? readdirSync(path) : [] });
  });
  afterTest(t, stop);
  return syncs;
}

/** Returns the paths of all object files. */
function objectFiles({ folder }: GitFixture): string[] {
  const objects = join(folder, '07', '7.git', 'objects');
  return readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Fails unless the names of a file and of its parent folders, below `root`, were synced. */
function assertNameSynced(syncs: readonly Sync[], path: string, root: string): void {
  for (let at = path; at !== root; at = dirname(at)) {
    // Compares inodes, because the folder may have had another name when it was synced.
    const { ino } = statSync(dirname(at));
    const isSynced = syncs.some(({ inode, names }) => inode === ino && names.includes(basename(at)));
    assert.ok(isSynced, `the name ${at} was not synced`);
  }
}

/** Commits in its own session. @returns the paths synced before the rows were written, and the new files */
async function commitRecorded(
  t: TestContext,
  fixture: GitFixture,
  update: RefUpdate,
  fill: (session: WriteSession) => Promise<void>,
): Promise<{ syncs: readonly Sync[]; files: readonly string[] }> {
  const syncs = recordSyncs(t);
  const seen: { syncs: readonly Sync[]; files: readonly string[] }[] = [];
  await using session = await fixture.storage.writes.begin(fixture.id);
  await fill(session);
  const inTransaction = async () => {
    seen.push({ syncs: [...syncs], files: objectFiles(fixture) });
    return [];
  };
  await fixture.storage.writes.commit(session, [update], { atomic: true, inTransaction });
  const [first] = seen;
  assert.ok(first !== undefined && seen.length === 1, 'the commit runs one transaction');
  return first;
}

/** Returns text that makes a change too large to become rows. */
function large(digit: string): string {
  return digit.repeat(GIT_LIMITS.freshObjectsBytesMax);
}

test('each file of a large commit and its name are on disk before the ref moves in the database', async (t) => {
  const fixture = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: large('1'), b: '2' });
  const update = { ref: MAIN, old: null, new: oid };
  const { syncs, files } = await commitRecorded(t, fixture, update, (session) =>
    session.writeObjects(objects),
  );

  assert.equal(files.length, 4, 'two files, their tree and the commit');
  for (const file of files) {
    const { ino } = statSync(file);
    assert.ok(
      syncs.some(({ inode }) => inode === ino),
      `${file} was not synced`,
    );
    assertNameSynced(syncs, file, fixture.folder);
  }
});

for (const count of [1, 60]) {
  test(`the objects of ${count} small commits are rows in the transactions, and on disk with their names before the rows go`, async (t) => {
    const fixture = await openGitFixture(t);
    const { storage, id, database } = fixture;
    const trees: string[] = [];
    let tip: string | null = null;
    for (let index = 0; index < count; index += 1) {
      const commit = buildCommit('sha1', { a: `${index}` }, tip === null ? [] : [tip]);
      await commitTo(storage, id, commit.objects, [{ ref: MAIN, old: tip, new: commit.oid }]);
      tip = commit.oid;
      trees.push(commit.tree);
    }
    assert.ok(!existsSync(join(fixture.folder, '07')), 'nothing is a file');
    const rows = async () =>
      (await database.reader.selectFrom('git_fresh_objects').select('oid').execute()).length;
    assert.equal(await rows(), count * 3, 'a file, its tree and the commit');

    const transaction = database.transaction.bind(database);
    const syncs = recordSyncs(t);
    const before: { rows: number; files: readonly string[]; syncs: readonly Sync[] }[] = [];
    t.mock.method(database, 'transaction', (work: (tx: Tx) => Promise<void>) => {
      const files = objectFiles(fixture);
      return transaction(async (tx) => {
        before.push({ rows: await rows(), files, syncs: [...syncs] });
        await work(tx);
      });
    });
    await storage.upkeep.moveFreshToFiles();

    const [first] = before;
    assert.ok(first !== undefined && before.length === 1);
    assert.equal(first.rows, count * 3);
    assert.equal(first.files.length, count === 1 ? 3 : 2, 'many objects are one pack and its index');
    for (const file of first.files) assertNameSynced(first.syncs, file, fixture.folder);
    assert.equal(await rows(), 0);
    assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
    const again = createLocalStorage({ database, folder: fixture.folder });
    afterTest(t, () => again.close());
    const { objects } = await again.refs.open(id);
    for (const tree of trees) assert.equal((await objects.readTree(tree)).length, 1);
  });
}

test('the second of two pushes syncs the names of folders that the first one created', async (t) => {
  const fixture = await openGitFixture(t);
  const first = buildCommit('sha1', { a: large('1') });
  const update = { ref: MAIN, old: null, new: first.oid };
  await commitRecorded(t, fixture, update, (session) => session.writeObjects(first.objects));

  const again = { ref: 'refs/heads/again', old: null, new: first.oid };
  const { syncs, files } = await commitRecorded(t, fixture, again, (session) =>
    session.writeObjects(first.objects),
  );
  const objects = join(fixture.folder, '07', '7.git', 'objects');
  for (const file of files) assertNameSynced(syncs, file, objects);
});

test('the names of all files of a fork are on disk before its rows exist, and the name of its folder before the fork is complete', async (t) => {
  const fixture = await openGitFixture(t);
  const { storage, id, folder } = fixture;
  const first = buildCommit('sha1', { a: '1' });
  const second = buildCommit('sha1', { a: '2' }, [first.oid]);
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  await storage.upkeep.maintain(id, 'repack');
  await commitTo(storage, id, second.objects, [{ ref: MAIN, old: first.oid, new: second.oid }]);
  const syncs = recordSyncs(t);
  let before: readonly Sync[] = [];
  await storage.writes.fork(id, { refs: 'all' }, async (tx, create) => {
    before = [...syncs];
    assertNameSynced(before, join(folder, 'staged', readdirSync(join(folder, 'staged'))[0] ?? ''), folder);
    await create(tx, 8);
  });

  const fork = join(folder, '08', '8.git');
  const found = readdirSync(fork, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(found.length >= 7, 'a pack with its index, a commit, a tree, a file, HEAD and config');
  for (const { parentPath, name } of found) assertNameSynced(before, join(parentPath, name), fork);
  assertNameSynced(syncs, fork, folder);
});

test('each file of a pack and its name are on disk before the ref moves in the database', async (t) => {
  const fixture = await openGitFixture(t);
  const work = temporaryFolder(t);
  git(work, ['init', '-q', '-b', 'main']);
  // A smaller pack needs no files.
  writeFileSync(join(work, 'a'), randomBytes(GIT_LIMITS.freshObjectsBytesMax));
  git(work, ['add', '-A']);
  git(work, ['commit', '-q', '-m', 'first']);
  const tip = git(work, ['rev-parse', 'HEAD']);
  const trace = traceGit(t);
  const { syncs, files } = await commitRecorded(
    t,
    fixture,
    { ref: MAIN, old: null, new: tip },
    async (session) => {
      await session.ingestPack(packOf(work, ['HEAD']), { bytesMax: 1_000_000 });
      assert.deepEqual(await session.findDisconnected([tip]), []);
    },
  );

  const names = files.filter((file) => basename(file).startsWith('pack-'));
  assert.ok(names.length >= 2, 'a pack and its index');
  assert.equal(flushesOf(trace, 'index-pack'), names.length);
  for (const file of names) assertNameSynced(syncs, file, fixture.folder);
});

test('each file that a patch adds, and its name, are on disk before the ref moves in the database', async (t) => {
  const fixture = await openGitFixture(t);
  const trace = traceGit(t);
  const added = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${path}\n`;
  const commit = buildCommit('sha1', { one: 'one\n', two: 'two\n' });
  const blobs = commit.objects.filter(({ type }) => type === 'blob');
  const update = { ref: MAIN, old: null, new: commit.oid };
  const { syncs, files } = await commitRecorded(t, fixture, update, async (session) => {
    const patched = await session.applyPatch(
      await treeOn(session, null),
      Buffer.from(added('one') + added('two')),
    );
    assert.deepEqual(
      patched.map(({ after }) => after?.oid),
      blobs.map(({ oid }) => oid),
    );
    await session.writeObjects(commit.objects.filter(({ type }) => type !== 'blob'));
  });

  assert.equal(files.length, 4, 'two files, their tree and the commit');
  assert.equal(flushesOf(trace, 'apply'), 2);
  for (const file of files) assertNameSynced(syncs, file, fixture.folder);
});

test('each large object without a ref and its name are on disk before it is acknowledged', async (t) => {
  const fixture = await openGitFixture(t);
  const syncs = recordSyncs(t);
  const { oid, objects } = buildCommit('sha1', { a: large('1') });
  await using session = await fixture.storage.writes.begin(fixture.id);
  await session.writeObjects(objects);
  let files: readonly string[] = [];
  let before: readonly Sync[] = [];
  const isKept = await fixture.storage.writes.storeObjects(session, async () => {
    [files, before] = [objectFiles(fixture), [...syncs]];
  });

  assert.ok(isKept);
  assert.equal(files.length, 3, 'a file, its tree and the commit');
  for (const file of files) assertNameSynced(before, file, fixture.folder);
  assert.equal((await (await fixture.storage.refs.open(fixture.id)).objects.readCommit(oid)).oid, oid);
});

/** Makes every git process write a trace. @returns the file of the trace */
function traceGit(t: TestContext): string {
  const folder = temporaryFolder(t);
  const trace = join(folder, 'trace');
  const path = process.env.PATH ?? '';
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nPATH='${path}' GIT_TRACE2_EVENT='${trace}' exec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  setGitSearchPath(`${folder}:${path}`);
  afterTest(t, () => setGitSearchPath(path));
  return trace;
}

interface TraceEvent {
  readonly event: string;
  readonly sid: string;
  readonly name?: string;
  readonly category?: string;
  readonly key?: string;
  readonly value?: string;
  readonly count?: number;
}

/** Returns how often a git command waited for the disk: the category `fsync` of git's api-trace2. */
function flushesOf(trace: string, command: string): number {
  const lines = readFileSync(trace, 'utf8').split('\n');
  const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TraceEvent);
  const sids = events.filter(({ event, name }) => event === 'cmd_name' && name === command);
  return events
    .filter(({ sid, category }) => category === 'fsync' && sids.some((started) => started.sid === sid))
    .filter(({ name, key }) => /hardware-flush$/.test(name ?? key ?? ''))
    .reduce((total, { value, count }) => total + Number(count ?? value ?? 0), 0);
}

test('SQLite waits for the disk at each commit', async (t) => {
  const database = openDatabase({ kind: 'file', path: join(temporaryFolder(t), 'quire.db') });
  afterTest(t, () => database.close());
  await database.transaction(async (tx) => {
    const mode = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(tx);
    assert.equal(mode.rows[0]?.journal_mode, 'wal');
    const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
    // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
    assert.equal(synchronous.rows[0]?.synchronous, 2);
  });
});
