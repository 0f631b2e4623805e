import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../src/app/config.ts';
import { tryLockDataFolder } from '../../src/app/data-folder.ts';
import { type MoveFlags, runMove } from '../../src/app/move-objects.ts';
import { createFolderStorage } from '../../src/storage/folder.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import type { ObjectStorage } from '../../src/storage/model.ts';
import { S3Storage } from '../../src/storage/s3/storage.ts';
import { ADDRESSES, bodyOf, keysOf, read } from '../storage/objects.ts';
import { afterTest } from '../support/after-test.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import { environmentOf, incompleteUploads, s3Bucket, whyNoS3 } from '../support/s3.ts';

// Runs once: no outcome depends on the database.

const skip = whyNoS3;
const LARGE = randomBytes(STORAGE_LIMITS.s3PartBytes + 1);

async function stage(t: TestContext) {
  const dataFolder = await temporaryFolder(t);
  const bucket = await s3Bucket();
  const s3 = new S3Storage(bucket.settings);
  afterTest(t, () => s3.close());
  const folder = await createFolderStorage({ folder: join(dataFolder, 'objects'), addresses: ADDRESSES });
  const config = readConfig({ data: dataFolder, ...bucket.flags, objects: 'folder' }, {});
  const lines: string[] = [];
  const move = async (flags: MoveFlags) => {
    lines.length = 0;
    await runMove(config, flags, (line) => lines.push(line));
    return lines.join('\n');
  };
  const toS3 = { from: 'folder', to: bucket.flags.objects };
  const toFolder = { from: bucket.flags.objects, to: 'folder' };
  return { dataFolder, bucket, s3, folder, move, toS3, toFolder };
}

async function fill(storage: ObjectStorage): Promise<readonly string[]> {
  const small = Array.from({ length: 20 }, (_, index) => `lfs/${index}/object`);
  for (const key of small) await storage.put(key, bodyOf(key));
  await storage.put('archives/1/large.zip', bodyOf(LARGE));
  await storage.put('archives/1/empty.zip', bodyOf());
  return ['archives/1/empty.zip', 'archives/1/large.zip', ...small].toSorted();
}

/** Checks that a store has these objects, with the content that `fill` gave them. */
async function requireFilled(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  assert.deepEqual(await keysOf(storage, ''), keys);
  for (const key of keys.filter((each) => each.startsWith('lfs/')))
    assert.equal(await read(storage, key), key);
  const { body } = await storage.get('archives/1/large.zip');
  assert.ok(Buffer.concat(await body.toArray()).equals(LARGE));
}

test('all objects move to S3 and back, and the originals stay', { skip }, async (t) => {
  const { dataFolder, bucket, s3, folder, move, toS3, toFolder } = await stage(t);
  const keys = await fill(folder);

  const printed = await move(toS3);

  assert.match(printed, /^22 objects, 5\.0 MiB\ncopied 22 objects; the others were there already\n/);
  assert.match(
    printed,
    new RegExp(`s3://${bucket.settings.bucket}/site/ at http\\S+ now has all of them: 22 objects`),
  );
  assert.match(printed, /now start the server with the new --objects$/);
  assert.ok(!printed.includes(bucket.flags.objectsSecret));
  await requireFilled(s3, keys);
  await requireFilled(folder, keys);
  for (const key of keys) await folder.delete(key);
  await move(toFolder);
  await requireFilled(folder, keys);
  const unlock = tryLockDataFolder(dataFolder);
  assert.ok(unlock !== undefined, 'the lock is free again');
  unlock();
});

test('a repeated move copies only what is new or differs', { skip }, async (t) => {
  const { folder, s3, move, toS3 } = await stage(t);
  await fill(folder);
  await move(toS3);
  await folder.put('lfs/new/object', bodyOf('new'));
  await folder.put('lfs/3/object', bodyOf('another'));
  await s3.put('lfs/4/object', bodyOf('LFS/4/OBJECT'));

  assert.match(await move(toS3), /^copied 3 objects/m);

  assert.equal(await read(s3, 'lfs/new/object'), 'new');
  assert.equal(await read(s3, 'lfs/3/object'), 'another');
  assert.equal(await read(s3, 'lfs/4/object'), 'lfs/4/object');
  assert.match(await move(toS3), /^copied 0 objects/m);
});

test('a copy that is newer than its original by far is compared by size, unless --verify-all is given', {
  skip,
}, async (t) => {
  const { dataFolder, folder, s3, move, toS3 } = await stage(t);
  await folder.put('a', bodyOf('hello'));
  await s3.put('a', bodyOf('HELLO'));
  const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
  await utimes(join(dataFolder, 'objects/a'), yesterday, yesterday);

  assert.match(await move(toS3), /^copied 0 objects/m);
  assert.match(await move({ ...toS3, verifyAll: true }), /^copied 1 object;/m);
  assert.equal(await read(s3, 'a'), 'hello');
});

test('objects that only the target has stay, unless --delete-extra is given', { skip }, async (t) => {
  const { folder, s3, move, toS3 } = await stage(t);
  const keys = await fill(folder);
  for (const key of ['a-first', 'lfs/5/extra', 'zz-last']) await s3.put(key, bodyOf('extra'));

  assert.match(await move(toS3), /^only in the target: 3 objects \(--delete-extra deletes them\)$/m);
  assert.equal((await keysOf(s3, '')).length, keys.length + 3);
  assert.match(await move({ ...toS3, deleteExtra: true }), /^only in the target: 3 objects, now deleted$/m);
  await requireFilled(s3, keys);
});

test('beside a running server, a move copies but does not delete, and asks to be repeated', {
  skip,
}, async (t) => {
  const { dataFolder, folder, move, toS3 } = await stage(t);
  await fill(folder);
  const unlock = tryLockDataFolder(dataFolder);
  afterTest(t, () => unlock?.());

  await assert.rejects(
    move({ ...toS3, deleteExtra: true }),
    /a server is running on the data folder: stop it/,
  );
  assert.match(await move(toS3), /a server is running: stop it and run this again/);
});

test('a move from a store to itself, or to one that does not work, fails with the reason', {
  skip,
}, async (t) => {
  const { bucket, move, toS3 } = await stage(t);
  const other = bucket.flags.objects.replace(bucket.settings.bucket, 'no-such-bucket');

  await assert.rejects(move({ from: 'folder', to: 'folder' }), /--from and --to are the same object store/);
  await assert.rejects(
    move({ ...toS3, to: other }),
    /cannot use the object store s3:\/\/no-such-bucket\/site\/ at .*: 404/,
  );
});

test('a move that is killed at any point continues, and loses nothing', {
  skip,
}, async (t) => {
  const { dataFolder, bucket, s3, folder } = await stage(t);
  const keys = await fill(folder);
  const quire = async (words: readonly string[], fault: string) => {
    const args = [PROGRAM, 'objects', 'move', '--data', dataFolder, ...words];
    const environment = { ...environmentOf(bucket), QUIRE_FAULT: fault };
    const running = run(t, process.execPath, args, { environment });
    return { ...(await running.ended()), output: running.output() };
  };
  const killed = { code: null, signal: 'SIGKILL' };
  const toS3 = ['--from', 'folder', '--to', bucket.flags.objects];
  const points = [
    'before-object:9',
    'after-upload-begin',
    'after-upload-part',
    'before-object',
    'after-object',
  ];
  for (const point of points) {
    const { code, signal, output } = await quire(toS3, point);
    assert.deepEqual({ code, signal }, killed, `${point} ${output}`);
    await s3.delete('archives/1/large.zip');
  }
  const { code, output } = await quire(toS3, '');
  assert.equal(code, 0, output);
  await requireFilled(s3, keys);
  await s3.removeAbandoned(-60_000);
  assert.deepEqual(await incompleteUploads(bucket), []);

  for (const key of keys) await folder.delete(key);
  const toFolder = ['--from', bucket.flags.objects, '--to', 'folder'];
  const back = await quire(toFolder, 'before-object:5');
  assert.equal(back.signal, 'SIGKILL', back.output);
  assert.equal((await quire(toFolder, '')).code, 0);
  await requireFilled(folder, keys);
});
