import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { currentCaller } from '../../../src/base/core/fairness/caller.ts';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { commitTo, refsAt, startBackend } from './backend.ts';
import { ALLOWED, errorOf, MIGRATE, mirrorRow, synced } from './sync.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const SYNC = `${ENGINE}/mirror-sync`;

test('a mirror follows new, moved, rewritten and deleted refs of its source, and its default branch', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const first = await commitTo(source.folder, 'main', 'first');
  await commitTo(source.folder, 'side', 'side', { onto: first });
  await git(source.folder, ['tag', 'v1', first]);
  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  assert.deepEqual(
    [made.status, made.body.mirror, made.body.mirror_interval],
    [201, true, '8h0m0s'],
    made.text,
  );
  assert.notEqual(made.body.mirror_updated, '0001-01-01T00:00:00Z');
  const folder = await temporaryFolder(t);
  const requireSame = async () => {
    assert.equal((await ada.post(SYNC)).status, 200);
    await synced(forge);
    assert.equal(await errorOf(ada), '');
    assert.deepEqual(await refsAt(folder, ada.remote('ada/engine')), await refsAt(source.folder));
  };

  await commitTo(source.folder, 'main', 'second');
  await commitTo(source.folder, 'new/branch', 'new', { onto: null });
  await git(source.folder, ['notes', 'add', '-m', 'seen', first]);
  await requireSame();
  await commitTo(source.folder, 'side', 'rewritten', { onto: null });
  await git(source.folder, ['tag', '-f', 'v1', 'side']);
  await git(source.folder, ['update-ref', '-d', 'refs/heads/new/branch']);
  await commitTo(source.folder, 'new', 'a name that was a folder', { onto: first });
  await requireSame();
  await git(source.folder, ['branch', '-m', 'main', 'trunk']);
  await git(source.folder, ['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
  await requireSame();
  assert.equal((await ada.get(ENGINE)).body.default_branch, 'trunk');
  await git(source.folder, ['symbolic-ref', 'HEAD', 'refs/heads/side']);
  await requireSame();
  assert.equal((await ada.get(ENGINE)).body.default_branch, 'side');

  const { reader } = forge.forge.running.engines.database;
  const events = await reader
    .selectFrom('events')
    .select(['actor_id', 'payload'])
    .where('kind', '=', 'refs.changed')
    .orderBy('position')
    .execute();
  assert.deepEqual(
    events.map(({ payload }) => JSON.parse(payload).via),
    ['api', 'mirror', 'mirror', 'mirror'],
  );
  await git(folder, ['clone', '-q', '--mirror', ada.remote('ada/engine'), '.']);
  assert.equal(await git(folder, ['fsck', '--strict', '--no-progress', '--no-dangling']), '');

  assert.equal((await ada.patch(ENGINE, { enable_prune: false })).status, 200);
  await git(source.folder, ['update-ref', '-d', 'refs/tags/v1']);
  await ada.post(SYNC);
  await synced(forge);
  assert.equal((await ada.get(`${ENGINE}/tags/v1`)).status, 200);
});

test('the rules of mirrors: no writes, no archive, an interval, and only mirrors are updated', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const made = await ada.post(MIGRATE, {
    clone_addr: source.url,
    repo_name: 'engine',
    mirror: true,
    mirror_interval: '90m',
  });
  assert.equal(made.body.mirror_interval, '1h30m0s');
  await ada.repository('plain', { auto_init: true });
  assert.equal((await ada.post(`${ENGINE}/contents/new`, { content: '' })).status, 403);
  assert.equal((await ada.patch(ENGINE, { archived: true })).status, 422);
  const found = await ada.get('/api/v1/repos/search?mode=mirror');
  assert.deepEqual(
    found.body.data.map(({ name }: { name: string }) => name),
    ['engine'],
  );
  for (const [interval, shown] of [
    ['10m', '10m0s'],
    ['24h0m0s', '24h0m0s'],
    ['0', '0s'],
    ['8h', '8h0m0s'],
  ]) {
    const edited = await ada.patch(ENGINE, { mirror_interval: interval });
    assert.deepEqual([edited.status, edited.body.mirror_interval], [200, shown], edited.text);
    assert.equal((await mirrorRow(forge)).due_at === null, interval === '0');
  }
  for (const interval of ['9m59s', '-1h', 'x', '99999999h'])
    assert.equal((await ada.patch(ENGINE, { mirror_interval: interval })).status, 422, interval);
  assert.equal((await ada.patch('/api/v1/repos/ada/plain', { mirror_interval: '8h' })).status, 422);
  assert.equal((await ada.post('/api/v1/repos/ada/plain/mirror-sync')).status, 400);
  const ben = await forge.account('ben');
  assert.equal((await ben.post(SYNC)).status, 403);
  assert.equal((await ben.post('/api/v1/repos/ada/none/mirror-sync')).status, 404);
  const forked = await ben.post(`${ENGINE}/forks`, {});
  assert.deepEqual([forked.status, forked.body.mirror, forked.body.mirror_interval], [202, false, '']);
});

test('a due mirror is updated by itself; a failure is recorded, and the next attempt comes later', async (t) => {
  let isDown = false;
  const source = await startBackend(t, {
    intercept: async (_request, response) => {
      if (isDown) response.writeHead(500).end();
      return isDown;
    },
  });
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  const { database } = forge.forge.running.engines;
  const becomeDue = async () => {
    await database.transaction((tx) => tx.updateTable('mirrors').set({ due_at: 1 }).execute());
    await forge.forge.running.services.jobs.runDue({ aheadMs: MIRROR_LIMITS.mirrorsLookedForEveryMs });
    await synced(forge);
    return mirrorRow(forge);
  };
  await commitTo(source.folder, 'main', 'second');
  const before = Date.now();
  const afterSuccess = await becomeDue();
  assert.ok((afterSuccess.due_at ?? 0) >= before + MIRROR_LIMITS.mirrorIntervalMs);
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(folder, ada.remote('ada/engine')), await refsAt(source.folder));

  isDown = true;
  for (const failures of [1, 2, 3]) {
    const row = await becomeDue();
    assert.deepEqual([row.failures, await errorOf(ada)], [failures, 'the source answers with status 500']);
    assert.ok((row.due_at ?? 0) >= before + MIRROR_LIMITS.mirrorRetryMs * 2 ** (failures - 1));
    assert.ok((row.due_at ?? 0) < before + MIRROR_LIMITS.mirrorIntervalMs);
  }
  isDown = false;
  const recovered = await becomeDue();
  assert.deepEqual([recovered.failures, await errorOf(ada)], [0, '']);
});

test('E1: the address of a mirror is checked again at each update', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  let answer = ['127.0.0.1'];
  const forge = await startForge(t, { ...ALLOWED, resolveHost: async () => answer });
  const ada = await forge.account('ada');
  const { port } = new URL(source.url);
  const clone_addr = `http://source.test:${port}/engine.git`;
  const made = await ada.post(MIGRATE, { clone_addr, repo_name: 'engine', mirror: true });
  assert.equal(made.status, 201, made.text);
  const before = source.requests.length;
  for (const address of ['127.0.0.2', '10.0.0.1', '64:ff9b::7f00:1', '::ffff:127.0.0.1']) {
    answer = ['127.0.0.1', address];
    await ada.post(SYNC);
    await synced(forge);
    assert.equal(await errorOf(ada), 'this site does not connect to this host');
  }
  assert.equal(source.requests.length, before);
});

test('a mirror that is deleted during its update leaves nothing', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  let isDeleting = false;
  const source = await startBackend(t, {
    intercept: async (_request, _response, body) => {
      if (isDeleting && body.includes('want')) assert.equal((await ada.delete(ENGINE)).status, 204);
      return false;
    },
  });
  await commitTo(source.folder, 'main', 'first');
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  await commitTo(source.folder, 'main', 'second');
  isDeleting = true;
  await ada.post(SYNC);
  await synced(forge);
  const { git: storage } = forge.forge.running.engines;
  assert.deepEqual(await storage.refs.list(), []);
  assert.equal((await ada.get(ENGINE)).status, 404);
});

test('an update asks only for what has changed, also after the source has dropped its history', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const first = await commitTo(source.folder, 'main', 'first');
  await commitTo(source.folder, 'main', 'second');
  const refs = Array.from({ length: 2_000 }, (_, index) => `create refs/heads/b${index} ${first}\n`);
  await git(source.folder, ['update-ref', '--stdin'], { input: refs.join('') });
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  const update = async () => {
    const before = source.requests.length;
    await ada.post(SYNC);
    await synced(forge);
    assert.equal(await errorOf(ada), '');
    const bodies = source.requests.slice(before).map(({ body }) => body);
    const fetched = bodies.find((body) => body.includes('command=fetch')) ?? '';
    const named = (word: string) =>
      [...fetched.matchAll(new RegExp(`${word} ([0-9a-f]{40})`, 'g'))].map(([, oid]) => oid);
    return { wants: named('want'), haves: named('have') };
  };
  const third = await commitTo(source.folder, 'b7', 'third');
  const one = await update();
  assert.deepEqual(one.wants, [third]);
  // Equal tips count once: that of `main`, and that of all others.
  assert.equal(one.haves.length, 2);
  const rewritten = await commitTo(source.folder, 'b7', 'instead of the third', { onto: first });
  const other = await update();
  assert.deepEqual(other.wants, [rewritten]);
  assert.ok(other.haves.includes(third) && other.haves.includes(first));
  const none = await update();
  assert.deepEqual([none.wants, none.haves], [[], []]);
});

test('a mirror follows a source of the older protocol', async (t) => {
  const source = await startBackend(t, { isOld: true });
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', mirror: true });
  const tip = await commitTo(source.folder, 'main', 'second');
  await commitTo(source.folder, 'side', 'side', { onto: null });
  await ada.post(SYNC);
  await synced(forge);
  assert.equal(await errorOf(ada), '');
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, tip);
  assert.equal((await ada.get(`${ENGINE}/branches/side`)).status, 200);
});

test('all updates of mirrors count as one caller, and none as the server itself', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const callers: string[] = [];
  const forge = await startForge(t, {
    ...ALLOWED,
    resolveHost: async () => {
      const { share, isServer } = currentCaller();
      callers.push(`${share} ${isServer}`);
      return ['127.0.0.1'];
    },
  });
  const ada = await forge.account('ada');
  const clone_addr = source.url.replace('127.0.0.1', 'source.test');
  await ada.post(MIGRATE, { clone_addr, repo_name: 'engine', mirror: true });
  callers.length = 0;
  await ada.post(SYNC);
  await synced(forge);
  assert.deepEqual([...new Set(callers)], ['mirrors false']);
});

test('E3: a mirror whose key is missing fails with the reason, and goes on with a key that was replaced', async (t) => {
  const authorization = `Basic ${Buffer.from('reader:secret').toString('base64')}`;
  const source = await startBackend(t, { authorization });
  await commitTo(source.folder, 'main', 'first');
  const dataFolder = await temporaryFolder(t);
  const file = join(dataFolder, 'credentials.key');
  const other = randomBytes(32).toString('base64');
  const forge = await startForge(t, { ...ALLOWED, dataFolder });
  const original = await readFile(file, 'utf8');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const wanted = { clone_addr: source.url, repo_name: 'engine', mirror: true, auth_username: 'reader' };
  const made = await forge.root.post(MIGRATE, { ...wanted, auth_password: 'secret' });
  assert.equal(made.status, 201, made.text);
  const at = forge.flags.indexOf('--database-url');
  const database = at === -1 ? {} : { databaseUrl: forge.flags[at + 1] ?? '' };
  let running = forge;
  const restarted = async (keys: string) => {
    await running.forge.stop();
    await writeFile(file, keys);
    const again = await startForge(t, { ...ALLOWED, dataFolder, ...database });
    running = again;
    await again.root.post('/api/v1/repos/root/engine/mirror-sync');
    await synced(again);
    return errorOf(again.root);
  };
  assert.match(await restarted(`${other}\n`), /key .* is missing/);
  assert.equal(await restarted(`${other}\n${original}`), '');
});

test('mirrors with slow sources hold back no mirror of another owner', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isSlow = false;
  const slow = await startBackend(t, {
    intercept: async () => {
      if (isSlow) await released;
      return false;
    },
  });
  const quick = await startBackend(t);
  for (const { folder } of [slow, quick]) await commitTo(folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (const name of ['one', 'two', 'three'])
    await ada.post(MIGRATE, { clone_addr: slow.url, repo_name: name, mirror: true });
  await ben.post(MIGRATE, { clone_addr: quick.url, repo_name: 'engine', mirror: true });
  isSlow = true;
  const asked = slow.requests.length;
  for (const name of ['one', 'two', 'three'])
    assert.equal((await ada.post(`/api/v1/repos/ada/${name}/mirror-sync`)).status, 200);
  await until(() => slow.requests.length > asked);
  const tip = await commitTo(quick.folder, 'main', 'second');
  await ben.post('/api/v1/repos/ben/engine/mirror-sync');
  const tipOfCopy = async () => (await ben.get('/api/v1/repos/ben/engine/branches/main')).body.commit.id;
  await until(async () => (await tipOfCopy()) === tip);
  assert.equal(slow.requests.length, asked + 1);
  release();
  await synced(forge);
  const { reader } = forge.forge.running.engines.database;
  const due = await reader.selectFrom('mirrors').select('due_at').where('due_at', '<=', Date.now()).execute();
  assert.deepEqual(due, []);
});
