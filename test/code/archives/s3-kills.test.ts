import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { S3Storage } from '../../../src/storage/s3/storage.ts';
import { keysOf } from '../../storage/objects.ts';
import { afterTest } from '../../support/after-test.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, gitBytes, workingCopy } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { environmentOf, incompleteUploads, s3Bucket, whyNoS3 } from '../../support/s3.ts';
import { until } from '../../support/until.ts';
import { placeOf, prepareSite, serveSite } from '../transport/server-process.ts';
import { archiveOf } from './archives.ts';

const POINTS = ['after-upload-begin', 'after-upload-part', 'before-object', 'after-object'] as const;

async function bytesAt(address: string): Promise<Buffer> {
  const response = await fetch(address);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

test('a server that is killed at any point of an upload to S3 leaves a whole archive or none, and no parts for long', {
  skip: whyNoS3,
}, async (t) => {
  const bucket = await s3Bucket();
  const storage = new S3Storage(bucket.settings);
  afterTest(t, () => storage.close());
  const environment = environmentOf(bucket);
  const site = await prepareSite(t);
  const serveHere = () => startForge(t, { ...placeOf(site), settings: bucket.flags });
  const first = await serveHere();
  await first.root.repository('engine');
  const work = await workingCopy(t);
  // Random bytes do not get smaller.
  await git(work, ['config', 'core.compression', '0']);
  await writeFile(join(work, 'random'), randomBytes(STORAGE_LIMITS.s3PartBytes + 1));
  await commitAll(work, 'Begin');
  await git(work, ['push', '-q', first.root.remote('root/engine'), 'main']);
  await first.forge.stop();
  const expected = await gitBytes(work, ['archive', '--format=zip', '--prefix=engine/', 'HEAD']);
  const path = archiveOf('root/engine', 'main.zip');

  for (const point of POINTS) {
    const { url, running } = await serveSite(t, site, { ...environment, QUIRE_FAULT: point });
    const asked = request('GET', `${url}${path}`).catch(() => null);
    assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, point);
    await asked;
    const isComplete = point === 'after-object';
    assert.equal((await keysOf(storage, 'archives/')).length, isComplete ? 1 : 0, point);
    assert.equal((await incompleteUploads(bucket)).length, isComplete ? 0 : 1, point);
    await storage.removeAbandoned(-60_000);
    assert.deepEqual(await incompleteUploads(bucket), [], point);
  }

  const { url, root } = await serveHere();
  assert.ok((await bytesAt(`${url}${path}`)).equals(expected));
  await root.delete('/api/v1/repos/root/engine');
  await until(async () => (await keysOf(storage, '')).length === 0);
});
