import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGzip } from 'node:zlib';
import { git, gitBytes, objectsOf, refsOf, temporaryFolder, workingCopy } from '../../support/git/git.ts';
import { authorizationOf, request } from '../../support/http/http.ts';
import { openFilesBelow } from '../../support/open-files.ts';
import { until } from '../../support/until.ts';
import {
  createRepository,
  type GitProcess,
  gitProcesses,
  LISTS_PROCESSES,
  memoryMib,
  type ServerProcess,
  startServerProcess,
} from './server-process.ts';
import { pkt, sendGit } from './wire.ts';

// Runs once: no outcome depends on the database.

const MIB = 1024 * 1024;
/** Additional memory that the server may use for a large object of any size. */
const GROWTH_MIB_MAX = 150;
/** More than the server may use, so that a test notices a server that keeps all of it. */
const LARGE_MIB = 200;
/** Most of it fits in no buffer between the server and a client that reads nothing. */
const HUGE_MIB = 320;
/** Interval between two measurements of the server's git processes. */
const MEASURE_EVERY_MS = 20;
/** Memory that one git process of the server may use. */
const CHILD_MIB_MAX = 256;

const skip = LISTS_PROCESSES ? false : 'this operating system does not report the memory of a process';

/** Settings that pack large files quickly, without compression and without a search for deltas. */
const FAST = ['-c', 'core.compression=0', '-c', 'core.bigFileThreshold=1m', '-c', 'pack.window=0'];
/** The same for `git fast-import`, which looks for a delta of each file to the one before. */
const NO_DELTAS = '--depth=0';

async function writeRandomFile(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w');
  for (let at = 0; at < bytes; at += MIB) await file.write(randomBytes(MIB));
}

/** Runs `work` and returns the growth of the server's memory and the maximum of one git process. */
async function measure(server: ServerProcess, work: () => Promise<void>) {
  const before = await memoryMib(server.pid, 'VmRSS');
  let childMib = 0;
  let isDone = false;
  const watched = until(async () => {
    await new Promise((resolve) => setTimeout(resolve, MEASURE_EVERY_MS));
    for (const { pid } of await gitProcesses(server.dataFolder)) {
      childMib = Math.max(childMib, await memoryMib(pid, 'VmHWM').catch(() => 0));
    }
    return isDone;
  });
  await work().finally(() => {
    isDone = true;
  });
  await watched;
  return { grownMib: (await memoryMib(server.pid, 'VmHWM')) - before, childMib };
}

function assertBounded(t: TestContext, used: { grownMib: number; childMib: number }): void {
  t.diagnostic(
    `the server grew by ${used.grownMib.toFixed(0)} MiB, a git process used ${used.childMib.toFixed(0)} MiB`,
  );
  assert.ok(used.grownMib < GROWTH_MIB_MAX, `the server grew by ${used.grownMib} MiB`);
  assert.ok(used.childMib < CHILD_MIB_MAX, `a git process used ${used.childMib} MiB`);
}

test('a push of a large file needs no more memory than a small one', {
  skip,
}, async (t) => {
  const server = await startServerProcess(t);
  const remote = await createRepository(server, 'large');
  const work = await workingCopy(t);
  await writeRandomFile(join(work, 'random'), LARGE_MIB * MIB);
  await git(work, [...FAST, 'add', 'random']);
  await git(work, [...FAST, 'commit', '-q', '-m', 'large']);
  await rm(join(work, 'random'));
  const used = await measure(server, () => git(work, [...FAST, 'push', '-q', remote, 'main']).then(() => {}));
  assertBounded(t, used);

  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', [...FAST, 'clone', '-q', '--bare', remote, copy]);
  assert.deepEqual(await objectsOf(copy), await objectsOf(work));
  assert.equal(await git(copy, ['cat-file', '-s', 'main:random']), String(LARGE_MIB * MIB));
});

test('a push of many files, 60 MB in total, needs no more memory than a small one', {
  skip,
}, async (t) => {
  const server = await startServerProcess(t);
  const remote = await createRepository(server, 'many');
  const work = await workingCopy(t);
  await gitBytes(work, [...FAST, 'fast-import', '--quiet', NO_DELTAS], {
    input: manyFiles(3_000, 20 * 1024),
  });
  const used = await measure(server, () => git(work, [...FAST, 'push', '-q', remote, 'main']).then(() => {}));
  assertBounded(t, used);
  assert.deepEqual(await refsOf(work, remote), await refsOf(work));
});

/** Returns a fast-import stream of one commit with files of random bytes. */
function manyFiles(count: number, bytes: number): Buffer {
  const begin = 'commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 4\nmany\n';
  const files = Array.from({ length: count }, (_, number) => [
    Buffer.from(`M 100644 inline folder-${number % 50}/file-${number}\ndata ${bytes}\n`),
    randomBytes(bytes),
    Buffer.from('\n'),
  ]);
  return Buffer.concat([Buffer.from(begin), ...files.flat()]);
}

/** Pushes a huge file whose pack is small, and returns its oid. */
async function pushHugeFile(t: TestContext, remote: string): Promise<string> {
  const work = await workingCopy(t);
  const path = join(work, 'huge');
  await using file = await open(path, 'w');
  await file.truncate(HUGE_MIB * MIB);
  const oid = await git(work, ['-c', 'core.compression=1', ...FAST.slice(2), 'hash-object', '-w', path]);
  await rm(path);
  await git(work, ['update-index', '--add', '--cacheinfo', `100644,${oid},huge`]);
  await git(work, ['commit', '-q', '-m', 'huge']);
  await git(work, [...FAST.slice(2), 'push', '-q', remote, 'main']);
  return oid;
}

test('H3: sending a huge file needs little memory, for a fast reader and for one that reads nothing', {
  skip,
}, async (t) => {
  const server = await startServerProcess(t);
  const oid = await pushHugeFile(t, await createRepository(server, 'huge'));
  const hash = createHash('sha1').update(`blob ${HUGE_MIB * MIB}\0`);
  const quick = await measure(server, async () => {
    const answer = await openRaw(server);
    assert.equal(answer.headers['content-length'], String(HUGE_MIB * MIB));
    for await (const chunk of answer) hash.update(chunk);
  });
  assert.equal(hash.digest('hex'), oid);
  assertBounded(t, quick);

  const unread = await openRaw(server);
  const slow = await measure(server, async () => {
    // During these requests, the server has enough time to read the file ahead.
    for (let count = 0; count < 300; count += 1) {
      assert.equal((await request('GET', `${server.url}/api/v1/version`)).status, 200);
    }
  });
  assertBounded(t, slow);
  unread.destroy();
  const packs = join(server.dataFolder, 'git');
  await until(async () => (await openFilesBelow(packs, server.pid)).every((path) => !path.endsWith('.pack')));
});

/** Lists the git processes of the server that run this command. */
async function childrenAt(server: ServerProcess, command: string): Promise<GitProcess[]> {
  return (await gitProcesses(server.dataFolder)).filter((process) => process.command.includes(command));
}

async function openRaw(server: ServerProcess): Promise<IncomingMessage> {
  const sent = httpGet(`${server.url}/api/v1/repos/root/huge/raw/huge`, {
    headers: { authorization: authorizationOf(server.admin) },
    agent: false,
  });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

test('H1: a small request that decompresses to a very large one is rejected, and memory stays bounded', {
  skip,
}, async (t) => {
  const server = await startServerProcess(t);
  const work = await workingCopy(t);
  await git(work, ['commit', '-q', '--allow-empty', '-m', 'begin']);
  const remote = await createRepository(server, 'bombed');
  await git(work, ['push', '-q', remote, 'main']);
  const tip = await git(work, ['rev-parse', 'HEAD']);
  const body = await bomb(tip);
  assert.ok(body.length < 8 * MIB);
  const headers = { 'content-encoding': 'gzip' };
  const used = await measure(server, async () => {
    const answer = await sendGit(server.url, 'root/bombed/git-upload-pack', { body, headers });
    assert.equal(answer.status, 413);
    // The server rejects an anonymous caller before it decompresses anything.
    const push = await sendGit(server.url, 'root/bombed/git-receive-pack', { body, headers });
    assert.equal(push.status, 401);
    const signedIn = await sendGit(server.url, 'root/bombed/git-receive-pack', {
      as: server.admin,
      body,
      headers,
    });
    assert.equal(signedIn.status, 400);
  });
  assertBounded(t, used);
  await until(async () => (await childrenAt(server, 'upload-pack')).length === 0);
});

/** Returns 256 MiB of valid fetch lines, compressed. */
async function bomb(tip: string): Promise<Buffer<ArrayBuffer>> {
  const gzip = createGzip({ level: 1 });
  const haves = Buffer.concat(Array.from({ length: 20_000 }, () => pkt(`have ${'ab'.repeat(20)}\n`)));
  gzip.write(Buffer.concat([pkt(`want ${tip}\n`), Buffer.from('0000')]));
  const feed = async () => {
    for (let sent = 0; sent < 256 * MIB; sent += haves.length) {
      if (!gzip.write(haves)) await once(gzip, 'drain');
    }
    gzip.end();
  };
  const [chunks] = await Promise.all([gzip.toArray(), feed()]);
  return Buffer.concat(chunks as Buffer[]);
}
