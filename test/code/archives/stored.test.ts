import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { bodyOf, keysOf } from '../../storage/objects.ts';
import { startForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { pushedRepository } from '../contents/files.ts';
import { archiveOf, buildingIn, download } from './archives.ts';
import { testStoredArchives } from './stored.ts';

testStoredArchives('a folder', async () => ({}));

test('the bytes of an archive that a fault has left without a row are deleted after a day', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  await download(forge, archiveOf('ada/engine', 'main.zip'));
  await until(() => buildingIn(forge) === 0);
  const { dataFolder, running } = forge.forge;
  const { objects } = running.engines;
  const [stored = ''] = await keysOf(objects, 'archives/');
  for (const name of ['old', 'new']) await objects.put(`archives/999/${name}.zip`, bodyOf('stray'));
  const longAgo = new Date(Date.now() - STORAGE_LIMITS.incomingObjectMs - 60_000);
  for (const key of [stored, 'archives/999/old.zip'])
    await utimes(join(dataFolder, 'objects', key), longAgo, longAgo);

  await running.services.jobs.runDue({ aheadMs: STORAGE_LIMITS.sweepEveryMs + 1 });

  assert.deepEqual(await keysOf(objects, 'archives/'), [stored, 'archives/999/new.zip'].sort());
});
