import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { bucketAt, s3Bucket, whyNoS3 } from '../../support/s3.ts';
import { until } from '../../support/until.ts';
import { pushedRepository } from '../contents/files.ts';
import { archiveOf, begin, buildingIn, download } from './archives.ts';

// Runs once: no outcome depends on the database.

test('while S3 fails, archives give 503 or break off, everything else works, and later all is well', {
  skip: whyNoS3,
}, async (t) => {
  const { settings } = await s3Bucket();
  const proxy = new FaultyProxy(settings.endpoint);
  const { flags } = bucketAt(await proxy.listen(t), settings.bucket);
  const forge = await startForge(t, { settings: flags });
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { random: randomBytes(1_000_000) }, { compression: 0 });
  const path = archiveOf('ada/engine', 'main.zip');
  const built = await download(forge, path);
  await until(() => buildingIn(forge) === 0);

  proxy.fate = () => 500;
  const failed = await forge.get(path);
  const other = await forge.get('/api/v1/repos/ada/engine');
  proxy.fate = ({ method }) => (method === 'GET' ? { cutAfter: 500_000 } : 'pass');
  const cut = await begin(forge, path);
  await assert.rejects(buffer(cut));
  proxy.fate = () => 'pass';
  const again = await download(forge, path);

  assert.equal(failed.status, 503);
  assert.match(failed.headers.get('retry-after') ?? '', /^\d+$/);
  assert.match(failed.body.message, /^the object store does not respond as it should/);
  assert.equal(other.status, 200);
  assert.equal(cut.statusCode, 200);
  assert.ok(again.bytes.equals(built.bytes));
});

test('a download from S3 ends with its client', { skip: whyNoS3 }, async (t) => {
  const { settings } = await s3Bucket();
  const proxy = new FaultyProxy(settings.endpoint);
  const { flags } = bucketAt(await proxy.listen(t), settings.bucket);
  const forge = await startForge(t, { settings: flags });
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { random: randomBytes(20_000_000) }, { compression: 0 });
  // Of the kinds of archives, git makes only this one without compressing everything again.
  const path = archiveOf('ada/engine', 'main.bundle');
  await download(forge, path);
  await until(() => buildingIn(forge) === 0);
  let inFlight = 0;
  proxy.fate = ({ method, socket }) => {
    if (method === 'GET') {
      inFlight += 1;
      socket.once('close', () => {
        inFlight -= 1;
      });
    }
    return 'pass';
  };

  const response = await begin(forge, path);
  assert.equal(inFlight, 1);
  response.destroy();

  await until(() => inFlight === 0);
});
