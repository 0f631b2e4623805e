import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../src/base/core/faults.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import { buildCommit, commitTo, git, MAIN, temporaryFolder } from '../git/git-fixture.ts';
import { afterTest } from '../support/after-test.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { mirrorOf } from '../support/git-folder.ts';
import { ROOT, run } from '../support/process.ts';
import type { ForkRequest } from './fork-process.ts';

// Runs on a disk, as a server does.

const PARENT = 7;
const FORK = 8;

/** Creates a repository with a pack and loose objects, and kills a process at `point` while it forks the repository. */
async function forkKilledAt(t: TestContext, point: FaultPoint) {
  const location = await databaseLocation(t);
  const folder = temporaryFolder(t);
  const database = openDatabase(location);
  afterTest(t, () => database.close());
  const before = createLocalStorage({ database, folder });
  await database.transaction((tx) => before.refs.create(PARENT, { head: MAIN, objectFormat: 'sha1' }, tx));
  const first = buildCommit('sha1', { a: '1' });
  const second = buildCommit('sha1', { b: '2' }, [first.oid]);
  await commitTo(before, PARENT, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  await before.upkeep.maintain(PARENT, 'repack');
  await commitTo(before, PARENT, second.objects, [{ ref: MAIN, old: first.oid, new: second.oid }]);
  await before.close();
  const request: ForkRequest = { location, folder, parent: PARENT, fork: FORK, point };
  const running = run(t, process.execPath, [
    join(ROOT, 'test/faults/fork-process.ts'),
    JSON.stringify(request),
  ]);
  const ended = await running.ended();
  assert.deepEqual(ended, { code: null, signal: 'SIGKILL' }, running.output());
  const storage = createLocalStorage({ database, folder });
  afterTest(t, () => storage.close());
  return { storage, database, tip: second.oid, staged: () => readdirSync(join(folder, 'staged')).length };
}

test('a fork interrupted before its rows exist leaves files for a sweep and can be repeated', async (t) => {
  const { storage, tip, staged } = await forkKilledAt(t, 'after-link');
  assert.deepEqual(await storage.refs.list(), [PARENT]);
  assert.equal(staged(), 1);
  assert.equal(await storage.upkeep.sweep(-1), 1);
  assert.equal(staged(), 0);

  await storage.writes.fork(PARENT, { refs: 'all' }, (tx, create) => create(tx, FORK));
  const fork = await storage.refs.open(FORK);
  assert.equal(fork.ref(MAIN), tip);
  assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
});

for (const point of ['after-fork', 'before-unstage'] as const) {
  test(`a fork with rows is complete after a crash at ${point} and a sweep`, async (t) => {
    const { storage, tip, staged } = await forkKilledAt(t, point);
    assert.equal(await storage.upkeep.sweep(-1), 0);
    const fork = await storage.refs.open(FORK);
    const readers = Array.from({ length: 4 }, () => fork.objects.readCommit(tip));
    assert.equal(new Set((await Promise.all(readers)).map(({ tree }) => tree)).size, 1);
    const { gitDir } = await mirrorOf(storage, fork);
    assert.equal(git(gitDir, ['rev-parse', 'main']), tip);
    git(gitDir, ['fsck', '--full', '--strict']);
    assert.equal(staged(), 0);
    assert.deepEqual((await storage.upkeep.verify(FORK)).problems, []);
  });
}

test('measuring an interrupted fork counts its objects', async (t) => {
  const { storage } = await forkKilledAt(t, 'after-fork');
  const [parent, fork] = [await storage.upkeep.measure(PARENT), await storage.upkeep.measure(FORK)];
  assert.ok(fork.packs > 0);
  assert.deepEqual(fork, parent);
});

test('deleting an interrupted fork leaves no files', async (t) => {
  const { storage, database, staged } = await forkKilledAt(t, 'after-fork');
  await database.transaction((tx) => storage.refs.remove(FORK, tx));
  await storage.upkeep.sweep(-1);
  assert.equal(staged(), 0);
  assert.deepEqual(await storage.refs.list(), [PARENT]);
});
