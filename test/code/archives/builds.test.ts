import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ARCHIVE_LIMITS } from '../../../src/code/archives/limits.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';
import { holdSlots } from '../../support/git/hold-slots.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import { request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';
import { pushedRepository } from '../contents/files.ts';
import {
  createRepository,
  gitProcesses,
  LISTS_PROCESSES,
  startServerProcess,
} from '../transport/server-process.ts';
import { createRefs, packOf } from '../transport/wire.ts';
import { archiveOf, begin, buildingIn, download } from './archives.ts';

// Runs once: no outcome depends on the database.

const skip = LISTS_PROCESSES ? false : 'this machine does not list processes';
const MIB = 1024 * 1024;

async function archivers(forge: TestForge): Promise<number> {
  const running = await gitProcesses(forge.forge.dataFolder);
  return running.filter(({ command }) => /git.* (archive|pack-objects)/.test(command)).length;
}

/** A forge where the archives of `ada/engine` have `bytes` bytes, and only begin while there is a slot for them. */
async function stage(t: TestContext, bytes: number) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit } = await pushedRepository(
    t,
    ada,
    'engine',
    { random: randomBytes(bytes) },
    { compression: 0 },
  );
  return { forge, ada, commit, path: archiveOf('ada/engine', 'main.tar.gz') };
}

test('concurrent requests for one archive share one build', async (t) => {
  const { forge, path } = await stage(t, 100_000);
  const free = await holdSlots(t, PROCESS_SLOTS.archives, GIT_LIMITS.archivesBuiltAtOnceMax);
  const asked = Array.from({ length: 5 }, () => download(forge, path));
  await until(() => buildingIn(forge) === 1 && PROCESS_SLOTS.archives.waiting === 1);
  free();

  const archives = await Promise.all(asked);
  await until(() => buildingIn(forge) === 0);

  const [first] = archives;
  assert.ok(first !== undefined && first.bytes.length > 100_000);
  for (const { status, bytes } of archives) {
    assert.equal(status, 200);
    assert.ok(bytes.equals(first.bytes));
  }
});

test('a slow client of an archive delays neither the build nor another client', async (t) => {
  const { forge, path } = await stage(t, 30 * MIB);
  const slow = await begin(forge, path);

  const fast = await download(forge, path);

  assert.ok(fast.bytes.length > 30 * MIB);
  await until(() => PROCESS_SLOTS.archives.running === 0);
  await until(() => buildingIn(forge) === 0);
  assert.ok((await buffer(slow)).equals(fast.bytes));
});

test('the build of an archive ends when its last client leaves', { skip }, async (t) => {
  const { forge, path } = await stage(t, 1000);
  await heavy(t, forge);
  const first = await begin(forge, path.replace('main', 'heavy'));
  const second = await begin(forge, path.replace('main', 'heavy'));
  assert.ok((await archivers(forge)) > 0, 'git is running');

  first.destroy();
  const { status } = await forge.get('/api/v1/version');
  assert.equal(status, 200);
  assert.equal(buildingIn(forge), 1);
  second.destroy();

  await until(async () => buildingIn(forge) === 0 && (await archivers(forge)) === 0);
  await until(() => PROCESS_SLOTS.archives.running === 0);
  assert.deepEqual(await readdir(join(forge.forge.dataFolder, 'objects')), ['.incoming']);
});

test('a client that waits for a slot and leaves takes none', async (t) => {
  const { forge, path } = await stage(t, 1000);
  const free = await holdSlots(t, PROCESS_SLOTS.archives, GIT_LIMITS.archivesBuiltAtOnceMax);
  const controller = new AbortController();
  const asked = fetch(`${forge.url}${path}`, { signal: controller.signal }).catch(() => 'left');
  await until(() => PROCESS_SLOTS.archives.waiting === 1);
  controller.abort();
  assert.equal(await asked, 'left');

  await until(() => PROCESS_SLOTS.archives.waiting === 0 && buildingIn(forge) === 0);
  free();
  assert.equal((await download(forge, path)).status, 200);
});

test('an archive whose git fails halfway breaks off and is not kept', { skip }, async (t) => {
  const { forge, path } = await stage(t, 1000);
  await heavy(t, forge);
  const response = await begin(forge, path.replace('main', 'heavy'));
  const [child] = await gitProcesses(forge.forge.dataFolder).then((all) =>
    all.filter(({ command }) => / archive /.test(command)),
  );
  assert.ok(child);
  process.kill(child.pid, 'SIGKILL');

  await assert.rejects(buffer(response));

  await until(() => buildingIn(forge) === 0);
  assert.deepEqual(await readdir(join(forge.forge.dataFolder, 'objects')), ['.incoming']);
});

/** Pushes a branch `heavy` to `ada/engine` whose archive takes git a while: it has the same files many times. */
async function heavy(t: TestContext, forge: TestForge): Promise<void> {
  heavyPack ??= packHeavy(t);
  const { commit, pack } = await heavyPack;
  await createRefs(forge.root.remote('ada/engine'), { 'refs/heads/heavy': commit }, pack);
}

let heavyPack: ReturnType<typeof packHeavy> | undefined;

/** Makes the commit of `heavy`, once for all tests. */
async function packHeavy(t: TestContext): Promise<{ commit: string; pack: Buffer }> {
  const work = await workingCopy(t);
  // The fastest one still makes zeros small.
  await git(work, ['config', 'core.compression', '1']);
  await writeFile(join(work, 'zeros'), Buffer.alloc(20 * MIB));
  await writeFile(join(work, 'random'), randomBytes(2 * MIB));
  await git(work, ['add', '-A']);
  const tree = await git(work, ['write-tree']);
  const entries = Array.from({ length: 100 }, (_, index) => `040000 tree ${tree}\t${index}\n`);
  const many = await git(work, ['mktree'], { input: entries.join('') });
  const commit = await git(work, ['commit-tree', '-m', 'Heavy', many]);
  return { commit, pack: await packOf(work, [commit]) };
}

/** Pushes a branch with this tree to `ada/engine`, and returns the address of its archive. */
async function pushTree(forge: TestForge, work: string, name: string, tree: string): Promise<string> {
  const commit = await git(work, ['commit-tree', '-m', name, tree]);
  await git(work, ['push', '-q', forge.root.remote('ada/engine'), `${commit}:refs/heads/${name}`]);
  return archiveOf('ada/engine', `${name}.zip`);
}

/** Writes a tree whose first folders are all different, so that what lies behind them is not counted. */
async function hidden(work: string, tree: string): Promise<string> {
  const blob = await git(work, ['hash-object', '-w', '--stdin'], { input: 'x' });
  const trees = Array.from(
    { length: ARCHIVE_LIMITS.archiveFoldersCountedMax },
    (_, index) => `100644 blob ${blob}\tx${index}\n`,
  );
  const first = (await git(work, ['mktree', '--batch'], { input: trees.join('\n') })).split('\n');
  const entries = [...first, tree].map(
    (oid, index) => `040000 tree ${oid}\t${`${index}`.padStart(4, '0')}\n`,
  );
  return git(work, ['mktree'], { input: entries.join('') });
}

test('H2: an archive of billions of files is a 422 before git works on it, and other requests proceed', async (t) => {
  const { forge, path } = await stage(t, 1000);
  const work = await workingCopy(t);
  const bomb = await pushTree(forge, work, 'bomb', await treeBomb(work, { width: 32, depth: 7 }));
  const zeros = await git(work, ['hash-object', '-w', '--stdin'], { input: '0'.repeat(3 * MIB) });
  const folder = await git(work, ['mktree'], { input: repeated(100, `100644 blob ${zeros}`) });
  const huge = await pushTree(
    forge,
    work,
    'huge',
    await git(work, ['mktree'], { input: repeated(100, `040000 tree ${folder}`) }),
  );
  const long = await treeBomb(work, { width: 20, depth: 4, name: 'n'.repeat(200) });
  const named = await pushTree(forge, work, 'named', long);

  for (const url of [bomb, huge, named]) {
    for (const format of ['zip', 'tar.gz']) {
      const { status, body } = await forge.get(url.replace('zip', format));
      assert.equal(status, 422, url);
      assert.match(body.message, /too large for an archive: clone the repository instead/);
    }
  }
  assert.equal((await download(forge, path)).status, 200);
  assert.equal((await download(forge, bomb.replace('zip', 'bundle'))).status, 200);
  await until(() => PROCESS_SLOTS.archives.running === 0);
});

test('H2: git stops at its limits for an archive whose files are too many to count, and it is not built again', async (t) => {
  const { forge, path } = await stage(t, 1000);
  const work = await workingCopy(t);
  const bomb = await hidden(work, await treeBomb(work, { width: 32, depth: 7 }));
  const url = (await pushTree(forge, work, 'bomb', bomb)).replace('zip', 'tar.gz');
  const limits: { archiveMs: number } = GIT_LIMITS;

  const bombed = forge.get(url);
  assert.equal((await download(forge, path)).status, 200);
  const { status, body } = await bombed;

  assert.equal(status, 422, 'the memory is used up');
  assert.match(body.message, /too large for an archive/);
  t.mock.property(limits, 'archiveMs', 1);
  const commit = (await forge.get('/api/v1/repos/ada/engine/branches/bomb')).body.commit.id;
  const again = watchProcesses(t);
  assert.equal((await forge.get(url.replace('bomb', commit))).status, 422);
  // Jobs of the push may start git, too.
  const builds = again().filter((command) => command.includes(' archive '));
  assert.deepEqual(builds, [], 'it is remembered');
  await forge.root.patch('/api/v1/repos/ada/engine', { name: 'other' });
  const late = await forge.get(url.replace('engine', 'other'));
  assert.equal(late.status, 422, 'the time is over');
});

test('an archive that exceeds its size is cut by a reset, and is a 422 from then on', async (t) => {
  const { forge } = await stage(t, 1000);
  await heavy(t, forge);
  const url = archiveOf('ada/engine', 'heavy.tar.gz');
  const limits: { archiveBytesMax: number } = ARCHIVE_LIMITS;
  t.mock.property(limits, 'archiveBytesMax', MIB);

  const cut = await rawBytes(forge, `GET ${url} HTTP/1.1`);

  assert.match(cut.text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(cut.end, 'ECONNRESET');
  assert.doesNotMatch(cut.text, /\r\n0\r\n\r\n$/);
  const again = await forge.get(url);
  assert.equal(again.status, 422);
  assert.equal(again.body.message, 'the archive is too large: clone the repository instead');
  await until(() => buildingIn(forge) === 0);
});

test('a client of HTTP/1.0, which has no chunks, sees that an archive is cut', { skip }, async (t) => {
  const { forge, path } = await stage(t, 1000);
  await heavy(t, forge);
  const limits: { archiveBytesMax: number } = ARCHIVE_LIMITS;
  t.mock.property(limits, 'archiveBytesMax', MIB);

  const { text, end } = await rawBytes(forge, `GET ${path.replace('main', 'heavy')} HTTP/1.0`);

  assert.match(text, / 200 OK\r\n/);
  assert.doesNotMatch(text, /transfer-encoding/i);
  assert.equal(end, 'ECONNRESET');
});

/** Sends a request over a connection of its own. @returns all that arrives, and how the connection ends */
async function rawBytes(forge: TestForge, line: string): Promise<{ text: string; end: string }> {
  const { hostname, port } = new URL(forge.url);
  const socket = connect(Number(port), hostname);
  const ended = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('end', () => resolve('end'));
  });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.write(`${line}\r\nHost: localhost\r\n\r\n`);
  const end = await ended;
  socket.destroy();
  return { text, end };
}

function repeated(count: number, entry: string): string {
  return Array.from({ length: count }, (_, index) => `${entry}\t${index}\n`).join('');
}

test('D6: a huge attribute file and a padded format do not exhaust the process of an archive', async (t) => {
  const { forge, ada } = await stage(t, 1000);
  await pushedRepository(t, ada, 'hostile', {
    '.gitattributes': `${'* a b c d e f g h export-subst\n'.repeat(200_000)}`,
    padded: `$Format:${'%<(2147483647)%an'.repeat(10)}$\n`,
  });

  const { status } = await download(forge, archiveOf('ada/hostile', 'main.tar.gz'));

  assert.ok(status === 200 || status === 422, `${status}`);
  assert.equal((await forge.get('/api/v1/version')).status, 200);
  await until(() => PROCESS_SLOTS.archives.running === 0);
});

test('a server that is killed while it stores an archive leaves no part of it in the store', async (t) => {
  const server = await startServerProcess(t, { QUIRE_FAULT: 'before-object' });
  const remote = await createRepository(server, 'engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'random'), randomBytes(MIB));
  await git(work, ['add', '-A']);
  await git(work, ['commit', '-q', '-m', 'Begin']);
  await git(work, ['push', '-q', remote, 'main']);
  const objects = join(server.dataFolder, 'objects');

  const asked = request('GET', `${server.url}${archiveOf('root/engine', 'main.tar.gz')}`).catch(() => null);
  assert.deepEqual(await server.running.ended(), { code: null, signal: 'SIGKILL' });
  await asked;

  const { archives = [], '.incoming': incoming = [] } = Object.groupBy(
    (await readdir(objects, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()),
    ({ parentPath }) => (parentPath.endsWith('.incoming') ? '.incoming' : 'archives'),
  );
  assert.equal(archives.length, 0);
  assert.equal(incoming.length, 1);
});
