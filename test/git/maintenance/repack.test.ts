import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GitStorage } from '../../../src/git/interface/storage.ts';
import { planRollUp } from '../../../src/git/maintenance/roll-up.ts';
import { buildCommit, commitTo, git, MAIN } from '../git-fixture.ts';
import { packsOf, usedRepository } from '../used-repository.ts';

/** Adds commits to main, each with three new objects. @returns the new tip */
async function commitMany(storage: GitStorage, id: number, from: string, count: number): Promise<string> {
  let tip = from;
  for (let nth = 0; nth < count; nth += 1) {
    const next = buildCommit('sha1', { a: `${tip} ${nth}` }, [tip]);
    await commitTo(storage, id, next.objects, [{ ref: MAIN, old: tip, new: next.oid }]);
    tip = next.oid;
  }
  return tip;
}

test('a repack joins small packs and loose objects, and leaves a large pack alone', async (t) => {
  const { storage, id, gitDir, third, unused, reopen } = await usedRepository(t);
  const big = buildCommit('sha1', { big: randomBytes(50_000).toString('hex') }, [third.oid]);
  await commitTo(storage, id, big.objects, [{ ref: MAIN, old: third.oid, new: big.oid }]);
  await storage.upkeep.maintain(id, 'repack');
  const packs = join(gitDir, 'objects', 'pack');
  const large = packsOf({ gitDir }).map((name) => ({ name, ...statSync(join(packs, name)) }));
  assert.equal(large.length, 2, 'reachable and unreachable objects');

  let tip = big.oid;
  for (let round = 1; round <= 4; round += 1) {
    tip = await commitMany(storage, id, tip, 5);
    await storage.upkeep.maintain(id, 'repack');
    assert.ok(packsOf({ gitDir }).length <= 4);
  }
  for (const { name, ino, mtimeMs } of large) {
    const now = statSync(join(packs, name));
    assert.deepEqual([now.ino, now.mtimeMs], [ino, mtimeMs], 'the file was not written again');
  }
  assert.ok(readdirSync(packs).includes('multi-pack-index'));
  assert.equal(git(gitDir, ['count-objects']).split(' ')[0], '0', 'no loose object is left');
  const other = reopen();
  assert.deepEqual((await other.upkeep.verify(id)).problems, []);
  const { objects } = await other.refs.open(id);
  assert.equal((await objects.readCommit(tip)).oid, tip);
  assert.equal((await objects.info(unused.oid))?.type, 'commit');
});

test('a prune after repacks still deletes exactly the unreachable objects', async (t) => {
  const { storage, id, third, unused } = await usedRepository(t);
  const big = buildCommit('sha1', { big: randomBytes(50_000).toString('hex') }, [third.oid]);
  await commitTo(storage, id, big.objects, [{ ref: MAIN, old: third.oid, new: big.oid }]);
  const tip = await commitMany(storage, id, big.oid, 5);
  await storage.upkeep.maintain(id, 'repack');
  const aside = buildCommit('sha1', { aside: '1' }, [tip]);
  await commitTo(storage, id, aside.objects, [{ ref: 'refs/heads/x', old: null, new: aside.oid }]);
  await commitTo(storage, id, [], [{ ref: 'refs/heads/x', old: aside.oid, new: null }]);
  await storage.upkeep.maintain(id, 'repack');
  assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');

  const { objects } = await storage.refs.open(id);
  for (const { oid } of [aside, unused]) assert.equal(await objects.info(oid), undefined);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

for (const [sizes, loose, left] of [
  [[], 0, []],
  [[5], 0, [5]],
  [[5], 3, []],
  [[100], 3, [100]],
  [[1, 2, 4, 8], 0, [1, 2, 4, 8]],
  [[3, 3, 3, 3, 1000], 0, [1000]],
  [[3, 3, 6, 1000], 0, [1000]],
  [[3, 3, 12, 1000], 0, [12, 1000]],
  [[400, 1000], 0, [400, 1000]],
  [[600, 1000], 0, []],
  [[10, 30, 100, 90], 1, []],
] as const) {
  test(`of packs with ${sizes.join(', ') || 'no'} bytes and ${loose} loose ones, ${left.join(', ') || 'none'} stay`, () => {
    const packs = sizes.map((bytes, nth) => ({ name: `${nth}`, bytes }));
    const plan = planRollUp(packs, loose);
    assert.deepEqual(
      plan.left.map(({ bytes }) => bytes),
      left,
    );
    assert.equal(plan.left.length + plan.joined.length, sizes.length);
  });
}
