import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { startForge } from '../../support/forge/forge.ts';

test('the hourly sweep removes what killed servers have left in the object store', async (t) => {
  const forge = await startForge(t);
  const incoming = join(forge.forge.dataFolder, 'objects/.incoming');
  for (const name of ['old', 'fresh']) await writeFile(join(incoming, name), 'half');
  const longAgo = new Date(Date.now() - STORAGE_LIMITS.incomingObjectMs - 60_000);
  await utimes(join(incoming, 'old'), longAgo, longAgo);

  await forge.forge.running.services.jobs.runDue({ aheadMs: STORAGE_LIMITS.sweepEveryMs + 1 });

  assert.deepEqual(await readdir(incoming), ['fresh']);
});
