import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createRepository,
  LISTS_PROCESSES,
  memoryMib,
  type ServerProcess,
  startServerProcess,
} from '../../code/transport/server-process.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { environmentOf, s3Bucket, whyNoS3 } from '../../support/s3.ts';
import { pointerTo, type TestObject } from './objects.ts';
import { clone, largeFilesCopy, whyNoGitLfs } from './working-copies.ts';

// Runs once: no outcome depends on the database.
// Runs on a disk, as a server does.

const MIB = 1024 * 1024;
/** What the first transfers load and buffer does not count. */
const WARM_UP_MIB = 48;
/** Additional memory that the server may use for an object of any size. */
const GROWTH_MIB_MAX = 64;
const TIMEOUT_MS = 5 * 60_000;

const skip =
  whyNoGitLfs !== false || LISTS_PROCESSES
    ? whyNoGitLfs
    : 'this operating system does not report the memory of a process';

/** Path of an object in a working copy. */
function pathIn(copy: string, { oid }: TestObject): string {
  return join(copy, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** Writes an object, of which no two MiB are equal, to where git-lfs stores it, and commits its pointer. */
async function commitObject(copy: string, mib: number): Promise<TestObject> {
  const chunk = Buffer.alloc(MIB, `${mib} quire`);
  const hash = createHash('sha256');
  const incoming = join(copy, '.git/incoming');
  const file = await open(incoming, 'w');
  for (let index = 0; index < mib; index += 1) {
    chunk.writeUInt32BE(index);
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.close();
  const object = { oid: hash.digest('hex'), size: mib * MIB };
  await mkdir(dirname(pathIn(copy, object)), { recursive: true });
  await rename(incoming, pathIn(copy, object));
  await writeFile(join(copy, 'large.bin'), pointerTo(object));
  await commitAll(copy, `${mib} MiB`);
  return object;
}

/** Pushes an object with git-lfs and fetches it to another copy, which compares its SHA-256. */
async function transfer(t: TestContext, { copy, remote }: { copy: string; remote: string }, mib: number) {
  const object = await commitObject(copy, mib);
  await git(copy, ['push', '-q', remote, 'main']);
  await rm(pathIn(copy, object));
  const other = await clone(t, remote);
  await git(other, ['lfs', 'fetch']);
  assert.equal((await stat(pathIn(other, object))).size, mib * MIB);
  await rm(pathIn(other, object));
}

async function requireFlat(t: TestContext, server: ServerProcess, mib: number): Promise<void> {
  const place = { copy: await largeFilesCopy(t), remote: await createRepository(server, 'engine') };
  await transfer(t, place, WARM_UP_MIB);
  const before = await memoryMib(server.pid, 'VmHWM');
  await transfer(t, place, mib);
  const grownMib = (await memoryMib(server.pid, 'VmHWM')) - before;
  t.diagnostic(`the server grew by ${grownMib.toFixed(0)} MiB, from ${before.toFixed(0)} MiB`);
  assert.ok(grownMib < GROWTH_MIB_MAX, `the server grew by ${grownMib} MiB`);
}

test('git-lfs pushes and fetches an object of 1 GiB, for which the server needs no more memory than for a small one', {
  skip,
  timeout: TIMEOUT_MS,
}, async (t) => {
  await requireFlat(t, await startServerProcess(t), 1024);
});

test('git-lfs pushes and fetches an object of 256 MiB in S3, for which the server needs no more memory than for a small one', {
  skip: skip === false ? whyNoS3 : skip,
  timeout: TIMEOUT_MS,
}, async (t) => {
  await requireFlat(t, await startServerProcess(t, environmentOf(await s3Bucket())), 256);
});
