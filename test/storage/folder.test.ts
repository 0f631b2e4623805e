import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { watchSyncs } from '../../src/base/core/files/durable-files.ts';
import { createFolderStorage } from '../../src/storage/folder.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import { afterTest } from '../support/after-test.ts';
import { ADDRESSES, bodyOf, keysOf } from './objects.ts';
import { testStorage } from './suite.ts';

// Runs once: no outcome depends on the database.
// Runs on a disk, as a server does.

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-storage-'));
  afterTest(t, () => rm(folder, { recursive: true, force: true }));
  return folder;
}

testStorage('a folder', async (t) => {
  const folder = await folderFor(t);
  const storage = await createFolderStorage({ folder, addresses: ADDRESSES });
  return { storage, leftovers: () => readdir(join(folder, '.incoming')) };
});

test('unfinished files of a killed server are removed once they are old', async (t) => {
  const folder = await folderFor(t);
  const storage = await createFolderStorage({ folder, addresses: ADDRESSES });
  const [old, fresh] = [join(folder, '.incoming', 'old'), join(folder, '.incoming', 'fresh')];
  for (const path of [old, fresh]) await writeFile(path, 'half');
  await symlink('nowhere', join(folder, '.incoming', 'dangling'));
  const dayBeforeYesterday = new Date(Date.now() - 48 * 60 * 60_000);
  await utimes(old, dayBeforeYesterday, dayBeforeYesterday);

  await storage.removeAbandoned(STORAGE_LIMITS.incomingObjectMs);

  assert.deepEqual((await readdir(join(folder, '.incoming'))).toSorted(), ['dangling', 'fresh']);
  assert.deepEqual(await keysOf(storage, ''), []);
});

test('a deleted object leaves no empty folder, and the next object makes its folder durable again', async (t) => {
  const folder = await folderFor(t);
  const storage = await createFolderStorage({ folder, addresses: ADDRESSES });
  for (const key of ['a/b/one', 'a/b/two', 'a/c/three']) await storage.put(key, bodyOf('x'));
  const foldersLeft = async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  };

  await storage.delete('a/b/one');
  assert.deepEqual(await foldersLeft(), ['.incoming', 'a', 'b', 'c']);
  await storage.delete('a/b/two');
  assert.deepEqual(await foldersLeft(), ['.incoming', 'a', 'c']);
  await storage.delete('a/c/three');
  await storage.delete('a/c/three');
  assert.deepEqual(await foldersLeft(), ['.incoming']);

  const synced: string[] = [];
  afterTest(
    t,
    watchSyncs((path) => synced.push(path)),
  );
  await storage.put('a/b/one', bodyOf('x'));
  for (const path of [folder, join(folder, 'a'), join(folder, 'a/b')]) assert.ok(synced.includes(path), path);
});

test('objects that are stored while others of their folder are deleted stay', async (t) => {
  const folder = await folderFor(t);
  const storage = await createFolderStorage({ folder, addresses: ADDRESSES });
  const turns = Array.from({ length: 8 }, (_, turn) => turn);
  await Promise.all(
    turns.map(async (turn) => {
      for (let round = 0; round < 50; round += 1) {
        await storage.put(`a/b/${turn}`, bodyOf('x'));
        await storage.delete(`a/b/${turn}`);
      }
      await storage.put(`a/b/${turn}`, bodyOf('x'));
    }),
  );
  assert.deepEqual(
    await keysOf(storage, ''),
    turns.map((turn) => `a/b/${turn}`),
  );
});
