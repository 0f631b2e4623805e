import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../../../src/app/config.ts';
import { runMove } from '../../../../src/app/move-objects.ts';
import { STORAGE_LIMITS } from '../../../../src/storage/limits.ts';
import { keysOf } from '../../../storage/objects.ts';
import { startForge } from '../../../support/forge/forge.ts';
import { temporaryFolder } from '../../../support/git/git.ts';
import { incompleteUploads, s3Bucket, type TestBucket, whyNoS3 } from '../../../support/s3.ts';
import { ISSUES, open } from '../tracker.ts';
import { attach, collected, pathOf } from './attachment-files.ts';

const LARGE = Buffer.from(randomBytes(STORAGE_LIMITS.s3PartBytes + 1));

async function startOn(t: TestContext, { flags }: TestBucket, serveDirect: 'true' | 'false') {
  const dataFolder = await temporaryFolder(t);
  const forge = await startForge(t, { dataFolder, settings: { ...flags, serveDirect } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  return { dataFolder, forge, ada };
}

test('attachments are kept on S3, sent from there, and moved with all objects', {
  skip: whyNoS3,
}, async (t) => {
  const bucket = await s3Bucket();
  const { dataFolder, forge, ada } = await startOn(t, bucket, 'true');
  const { engines } = forge.forge.running;

  const file = await attach(ada, `${ISSUES}/1/assets`, LARGE, 'loom.bin');
  const at = `${forge.url}${pathOf(file)}`;
  const { status, headers } = await forge.get(pathOf(file));
  assert.deepEqual([status, headers.get('etag'), headers.get('cache-control')], [302, null, 'no-store']);
  assert.ok(headers.get('location')?.startsWith(bucket.settings.endpoint), 'the store itself');
  const sent = await fetch(at);
  assert.equal(
    sent.headers.get('content-disposition'),
    `attachment; filename="loom.bin"; filename*=UTF-8''loom.bin`,
  );
  assert.ok(Buffer.from(await sent.arrayBuffer()).equals(LARGE));
  const head = await fetch(at, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(LARGE.length)]);

  const config = readConfig({ data: dataFolder, ...bucket.flags, objects: 'folder' }, {});
  const lines: string[] = [];
  await runMove(config, { from: bucket.flags.objects, to: 'folder' }, (line) => lines.push(line));
  assert.match(lines.join('\n'), /^copied 1 object;/m);

  assert.equal((await ada.delete(`${ISSUES}/1/assets/${file.id}`)).status, 204);
  assert.deepEqual(await collected(forge), []);
  assert.deepEqual(await keysOf(engines.objects, ''), []);
  assert.deepEqual(await incompleteUploads(bucket), []);
});
