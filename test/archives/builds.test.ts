import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { PROCESS_SLOTS } from '../../src/git/processes/process-slots.ts';
import { pushedRepository } from '../contents/files.ts';
import { startForge, type TestForge } from '../support/forge.ts';
import { git, workingCopy } from '../support/git.ts';
import { request } from '../support/http.ts';
import { treeBomb } from '../support/tree-bomb.ts';
import { until } from '../support/until.ts';
import {
  createRepository,
  gitProcesses,
  LISTS_PROCESSES,
  startServerProcess,
} from '../transport/server-process.ts';
import { archiveOf, begin, buildingIn, download } from './archives.ts';

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
  const { commit } = await pushedRepository(t, ada, 'engine', { random: randomBytes(bytes) });
  return { forge, ada, commit, path: archiveOf('ada/engine', 'main.tar.gz') };
}

/** Takes all slots for building archives. @returns a function that frees them */
async function holdSlots(t: TestContext): Promise<() => void> {
  const held: (() => void)[] = [];
  for (let free = PROCESS_SLOTS.archives; free.running < 4; ) held.push(await free.enter());
  const free = () => {
    for (const leave of held.splice(0)) leave();
  };
  t.after(free);
  return free;
}

test('concurrent requests for one archive share one build', async (t) => {
  const { forge, path } = await stage(t, 100_000);
  const free = await holdSlots(t);
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
  const free = await holdSlots(t);
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
  process.kill(child?.pid ?? 0, 'SIGKILL');

  await assert.rejects(buffer(response));

  await until(() => buildingIn(forge) === 0);
  assert.deepEqual(await readdir(join(forge.forge.dataFolder, 'objects')), ['.incoming']);
});

/** Pushes a branch `heavy` to `ada/engine` whose archive takes git a while: it has the same files many times. */
async function heavy(t: TestContext, forge: TestForge): Promise<void> {
  const work = await workingCopy(t);
  await writeFile(join(work, 'zeros'), Buffer.alloc(20 * MIB));
  await writeFile(join(work, 'random'), randomBytes(2 * MIB));
  await git(work, ['add', '-A']);
  const tree = await git(work, ['write-tree']);
  const entries = Array.from({ length: 100 }, (_, index) => `040000 tree ${tree}\t${index}\n`);
  const many = await git(work, ['mktree'], { input: entries.join('') });
  const commit = await git(work, ['commit-tree', '-m', 'Heavy', many]);
  const ada = forge.root.remote('ada/engine');
  await git(work, ['push', '-q', ada, `${commit}:refs/heads/heavy`]);
}

test('H2: an archive of billions of files ends with 422, and other requests proceed meanwhile', async (t) => {
  const { forge, path } = await stage(t, 1000);
  const work = await workingCopy(t);
  const bomb = await treeBomb(work, { width: 32, depth: 7 });
  const commit = await git(work, ['commit-tree', '-m', 'Bomb', bomb]);
  await git(work, ['push', '-q', forge.root.remote('ada/engine'), `${commit}:refs/heads/bomb`]);

  const bombed = forge.get(path.replace('main', 'bomb'));
  assert.equal((await download(forge, path)).status, 200);
  const { status, body } = await bombed;

  assert.equal(status, 422);
  assert.match(body.message, /too large for an archive/);
  // It is not built again.
  const startedAt = performance.now();
  assert.equal((await forge.get(path.replace('main', 'bomb'))).status, 422);
  assert.ok(performance.now() - startedAt < 1000);
  assert.equal((await download(forge, archiveOf('ada/engine', 'bomb.bundle'))).status, 200);
});

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
