import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { S3Storage } from '../../../src/storage/s3/storage.ts';
import { createRepository, placeOf, startServerProcess } from '../../code/transport/server-process.ts';
import { keysOf } from '../../storage/objects.ts';
import { afterTest } from '../../support/after-test.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit } from '../../support/git/git.ts';
import { environmentOf, incompleteUploads, s3Bucket, whyNoS3 } from '../../support/s3.ts';
import { CuttingProxy } from './proxy.ts';
import { clone, largeFilesCopy, whyNoGitLfs } from './working-copies.ts';

const skip = whyNoGitLfs === false ? whyNoS3 : whyNoGitLfs;
const LARGE = randomBytes(STORAGE_LIMITS.s3PartBytes + 1);

for (const serveDirect of ['false', 'true']) {
  test(`git-lfs pushes to S3, clones, fetches from there, locks and unlocks (--serve-direct ${serveDirect})`, {
    skip,
  }, async (t) => {
    const bucket = await s3Bucket();
    const storage = new S3Storage(bucket.settings);
    afterTest(t, () => storage.close());
    const forge = await startForge(t, { settings: { ...bucket.flags, serveDirect } });
    const ada = await forge.account('ada');
    await ada.repository('engine', { private: true });
    const folder = await largeFilesCopy(t);
    await writeFile(join(folder, 'large.bin'), LARGE);
    await writeFile(join(folder, 'small.bin'), 'small');
    await commitAll(folder, 'Begin');

    await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);

    assert.equal((await keysOf(storage, 'lfs/')).length, 2);
    assert.deepEqual(await incompleteUploads(bucket), []);
    const copy = await clone(t, ada.remote('ada/engine'));
    await git(copy, ['lfs', 'pull']);
    assert.ok((await readFile(join(copy, 'large.bin'))).equals(LARGE));
    assert.equal(await readFile(join(copy, 'small.bin'), 'utf8'), 'small');
    assert.equal((await tryGit(copy, ['lfs', 'fsck'])).exitCode, 0);

    const media = await ada.get('/api/v1/repos/ada/engine/media/small.bin');
    if (serveDirect === 'false') assert.deepEqual([media.status, media.text], [200, 'small']);
    else {
      const location = media.headers.get('location') ?? '';
      assert.equal(media.status, 302);
      assert.ok(location.startsWith(bucket.settings.endpoint), location);
      assert.equal(await (await fetch(location)).text(), 'small');
    }

    await git(copy, ['lfs', 'lock', 'small.bin']);
    assert.match(await git(copy, ['lfs', 'locks']), /^small\.bin\s+ada\s/);
    await git(copy, ['lfs', 'unlock', 'small.bin']);
    assert.equal(await git(copy, ['lfs', 'locks']), '');
  });
}

test('git-lfs continues an upload to S3 and a download from there that were cut off', { skip }, async (t) => {
  const proxy = await CuttingProxy.start(t);
  const bucket = await s3Bucket();
  const storage = new S3Storage(bucket.settings);
  afterTest(t, () => storage.close());
  const forge = await startForge(t, { baseUrl: proxy.url, settings: bucket.flags });
  proxy.passTo(forge);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await largeFilesCopy(t);
  await writeFile(join(folder, 'large.bin'), LARGE);
  await commitAll(folder, 'Begin');
  const remote = ada.remote('ada/engine').replace(/@[^/]+/, `@${new URL(proxy.url).host}`);

  await git(folder, ['config', 'lfs.tustransfers', 'true']);
  proxy.cutNext({ method: 'PATCH', path: /\/uploads\//, afterBytes: LARGE.length / 2 });
  await git(folder, ['push', '-q', remote, 'main']);

  const offsets = proxy.seen.filter(({ method }) => method === 'PATCH').map((seen) => seen.uploadOffset);
  assert.equal(offsets.length, 2);
  assert.ok(Number(offsets[1]) > 0, offsets[1]);
  // Of the parts, nothing is left.
  assert.equal((await keysOf(storage, '')).length, 1);
  assert.deepEqual(await incompleteUploads(bucket), []);

  const copy = await clone(t, remote);
  proxy.cutNext({ method: 'GET', path: /\/objects\//, afterBytes: LARGE.length / 2 });
  await git(copy, ['lfs', 'pull']);

  assert.ok((await readFile(join(copy, 'large.bin'))).equals(LARGE));
  const ranges = proxy.seen.filter(({ method, path }) => method === 'GET' && /\/objects\//.test(path));
  assert.match(ranges.at(-1)?.range ?? '', /^bytes=[1-9]\d*-/);
});

test('a server that is killed while git-lfs uploads to S3 keeps nothing of it, and the repeated push succeeds', {
  skip,
}, async (t) => {
  const bucket = await s3Bucket();
  const storage = new S3Storage(bucket.settings);
  afterTest(t, () => storage.close());
  const fault = { QUIRE_FAULT: 'after-upload-part' };
  const server = await startServerProcess(t, { ...environmentOf(bucket), ...fault });
  const folder = await largeFilesCopy(t);
  await writeFile(join(folder, 'large.bin'), LARGE);
  await commitAll(folder, 'Begin');
  const remote = await createRepository(server, 'engine');

  const failed = await tryGit(folder, ['push', '-q', remote, 'main']);

  assert.notEqual(failed.exitCode, 0);
  assert.deepEqual(await server.running.ended(), { code: null, signal: 'SIGKILL' });
  assert.deepEqual(await keysOf(storage, ''), []);
  const { url } = await startForge(t, { ...placeOf(server), settings: bucket.flags });
  await git(folder, ['push', '-q', remote.replace(server.url.slice(7), url.slice(7)), 'main']);
  assert.equal((await keysOf(storage, 'lfs/')).length, 1);
  await storage.removeAbandoned(-60_000);
  assert.deepEqual(await incompleteUploads(bucket), []);
});
