import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectStoreProblems } from '../../src/admin/check-objects.ts';
import { createFolderStorage } from '../../src/storage/folder.ts';
import type { ObjectStorage } from '../../src/storage/model.ts';
import { S3Storage } from '../../src/storage/s3/storage.ts';
import { ADDRESSES, keysOf } from '../storage/objects.ts';
import { afterTest } from '../support/after-test.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import { environmentOf, incompleteUploads, s3Bucket, whyNoS3 } from '../support/s3.ts';

// Runs once: no outcome depends on the database.

const skip = whyNoS3;

test('starting with an S3 store that cannot be used fails with one line, which has no secret in it', {
  skip,
}, async (t) => {
  const bucket = await s3Bucket();
  const start = async (change: Record<string, string>) => {
    const dataFolder = await temporaryFolder(t);
    const environment = { ...environmentOf(bucket), ...change };
    const server = run(t, process.execPath, [PROGRAM, 'serve', '--port', '0', '--data', dataFolder], {
      environment,
    });
    assert.equal((await server.ended()).code, 1);
    for (const name of ['QUIRE_OBJECTS_KEY_ID', 'QUIRE_OBJECTS_SECRET'] as const)
      assert.ok(!server.output().includes(environment[name] ?? ''), name);
    return server.output();
  };
  const { objects } = bucket.flags;
  const name = bucket.settings.bucket;

  const [missing, forbidden, unreachable] = await Promise.all([
    start({ QUIRE_OBJECTS: objects.replace(name, 'no-such-bucket') }),
    start({ QUIRE_OBJECTS_SECRET: 'not-the-secret' }),
    start({ QUIRE_OBJECTS: `s3://${name}?endpoint=http://127.0.0.1:1` }),
  ]);

  const line = (why: string) =>
    new RegExp(
      `^quire: cannot use the object store s3://\\S+ at http://\\S+: .*${why}.* \\(check --objects, [^\n]*\\)\n$`,
    );
  assert.match(missing, line('404 NoSuchBucket'));
  assert.match(forbidden, line('403 SignatureDoesNotMatch'));
  assert.match(unreachable, line('ECONNREFUSED'));
});

test('the doctor finds no problem with a store that works, and leaves nothing there', { skip }, async (t) => {
  const bucket = await s3Bucket();
  const s3 = new S3Storage(bucket.settings);
  afterTest(t, () => s3.close());
  const folder = await createFolderStorage({ folder: await temporaryFolder(t), addresses: ADDRESSES });

  for (const storage of [s3, folder]) {
    assert.deepEqual(await objectStoreProblems(storage), []);
    assert.deepEqual(await keysOf(storage, ''), []);
  }
  assert.deepEqual(await incompleteUploads(bucket), []);
});

test('the doctor reports a store that replaces what it should keep, loses objects or does not respond', async (t) => {
  const folder = await createFolderStorage({ folder: await temporaryFolder(t), addresses: ADDRESSES });
  const change = (changes: Partial<ObjectStorage>): ObjectStorage =>
    new Proxy(folder, {
      get: (target, name: keyof ObjectStorage) => changes[name] ?? target[name].bind(target),
    });

  const careless = change({ put: (key, body) => folder.put(key, body) });
  const forgetful = change({ list: async function* () {} });
  const stubborn = change({ delete: async () => {} });
  const silent = change({ get: () => Promise.reject(new Error('no response')) });

  assert.deepEqual(await objectStoreProblems(careless), [
    'object store: a second write replaces an object that it should keep (If-None-Match)',
  ]);
  assert.deepEqual(await objectStoreProblems(forgetful), [
    'object store: a new object is missing in the list',
  ]);
  assert.deepEqual(await objectStoreProblems(stubborn), [
    'object store: an object remains after it was deleted',
  ]);
  assert.deepEqual(await objectStoreProblems(silent), ['object store: no response']);
});
