import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createFolderStorage } from '../../src/storage/folder.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import { afterTest } from '../support/after-test.ts';
import { ADDRESSES, keysOf } from './objects.ts';
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
