import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GitObject } from '../../src/git/format/model.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { encodeTree } from '../../src/git/format/tree-format.ts';
import { loosePath } from '../../src/git/objects/loose-objects.ts';
import { buildCommit, commitTo, type GitFixture, MAIN, openGitFixture } from './git-fixture.ts';

const OLD_SECONDS = 20 * 24 * 60 * 60;

/** Writes objects without a ref, and waits until they are files. */
async function keep({ storage, id }: GitFixture, objects: readonly GitObject[]): Promise<void> {
  await using session = await storage.writes.begin(id);
  await session.writeObjects(objects);
  assert.ok(await storage.writes.storeObjects(session, async () => {}));
  await storage.upkeep.moveFreshToFiles();
}

function age({ folder }: GitFixture, { oid }: GitObject): void {
  const seconds = Date.now() / 1000 - OLD_SECONDS;
  utimesSync(join(folder, '07', '7.git', 'objects', loosePath(oid)), seconds, seconds);
}

test('a prune keeps young objects without a ref with all that they reach, and deletes other old ones', async (t) => {
  const fixture = await openGitFixture(t);
  const { storage, id } = fixture;
  const first = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  const part = newObject('sha1', 'blob', Buffer.from('a part of a tree'));
  const unused = newObject('sha1', 'blob', Buffer.from('a part of nothing'));
  await keep(fixture, [part, unused]);
  for (const object of [part, unused]) age(fixture, object);
  const entry = { mode: '100644' as const, name: 'part', oid: part.oid };
  const tree = newObject('sha1', 'tree', encodeTree('sha1', [entry]));
  await keep(fixture, [tree]);

  assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');

  const { objects } = await storage.refs.open(id);
  assert.deepEqual(
    [await objects.info(part.oid), await objects.info(unused.oid), (await objects.readTree(tree.oid)).length],
    [{ type: 'blob', sizeBytes: part.content.length }, undefined, 1],
  );
});

test('objects that rely on what a prune has deleted meanwhile are not acknowledged', async (t) => {
  const fixture = await openGitFixture(t);
  const { storage, id } = fixture;
  const first = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  const part = newObject('sha1', 'blob', Buffer.from('a part of a tree'));
  await keep(fixture, [part]);
  age(fixture, part);
  await using session = await storage.writes.begin(id);
  assert.equal((await session.objects.info(part.oid))?.type, 'blob');
  const entry = { mode: '100644' as const, name: 'part', oid: part.oid };
  await session.writeObjects([newObject('sha1', 'tree', encodeTree('sha1', [entry]))]);

  assert.equal(await storage.upkeep.maintain(id, 'prune'), 'done');
  const isKept = await storage.writes.storeObjects(session, () => assert.fail('nothing is acknowledged'));

  assert.equal(isKept, false);
});
