import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { createRefs, packOf } from '../../code/transport/wire.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { commitTo, refsAt } from '../mirrors/backend.ts';
import { ALLOWED } from '../mirrors/sync.ts';
import { addMirror, PUSH_MIRRORS, pushed, startTarget, update } from './targets.ts';

/** Makes a bare repository whose refs tests push to `ada/engine`. */
async function workingCopy(t: Parameters<typeof temporaryFolder>[0], format = 'sha1'): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '--bare', '-b', 'main', `--object-format=${format}`, '.']);
  return folder;
}

const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '+refs/notes/*:refs/notes/*'];

function pushAll(folder: string, ada: Person): Promise<string> {
  return git(folder, ['push', '-q', '--prune', ada.remote('ada/engine'), ...REFSPECS]);
}

test('a push mirror pushes new, moved, rewritten and deleted branches, tags and notes', async (t) => {
  for (const format of ['sha1', 'sha256']) {
    const target = await startTarget(t, {
      objectFormat: format,
      settings: { 'receive.denyDeleteCurrent': 'ignore' },
    });
    const forge = await startForge(t, ALLOWED);
    const ada = await forge.account('ada');
    await ada.repository('engine', { object_format_name: format });
    const folder = await workingCopy(t, format);
    await addMirror(ada, target.url);
    const requireSame = async () => {
      await pushAll(folder, ada);
      assert.equal(await update(forge, ada), '');
      assert.deepEqual(await refsAt(target.folder), await refsAt(folder));
      await git(target.folder, ['fsck', '--strict', '--no-progress', '--no-dangling', '--connectivity-only']);
    };
    const first = await commitTo(folder, 'main', 'first');
    await commitTo(folder, 'side', 'side', { onto: first });
    await git(folder, ['tag', '-a', '-m', 'One', 'v1', first]);
    await requireSame();
    await commitTo(folder, 'main', 'second');
    await commitTo(folder, 'new/branch', 'new', { onto: null });
    await git(folder, ['notes', 'add', '-m', 'seen', first]);
    await requireSame();
    await commitTo(folder, 'side', 'rewritten', { onto: null });
    await git(folder, ['tag', '-f', 'v1', 'side']);
    await git(folder, ['update-ref', '-d', 'refs/heads/new/branch']);
    await requireSame();
    await commitTo(folder, 'new', 'a name that was a folder', { onto: first });
    await requireSame();
    // A branch that only the target has is deleted, but not a ref outside of the mirrored namespaces.
    await git(target.folder, ['update-ref', 'refs/heads/theirs', first]);
    await git(target.folder, ['update-ref', 'refs/pull/1/head', first]);
    await requireSame();
    assert.match(await git(target.folder, ['show-ref']), /refs\/pull\/1\/head/);
  }
});

test('an empty repository changes nothing at its target', async (t) => {
  const target = await startTarget(t);
  await commitTo(target.folder, 'main', 'precious');
  const before = await refsAt(target.folder);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await addMirror(ada, target.url);
  assert.equal(await update(forge, ada), '');
  assert.deepEqual(await refsAt(target.folder), before);
});

test('an update sends only refs that have changed, and sends no request if none has', async (t) => {
  const target = await startTarget(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  // So many branches need two requests.
  const count = GIT_LIMITS.targetCommandsMax + 100;
  const first = await commitTo(folder, 'main', 'x'.repeat(100_000));
  const refs = Array.from({ length: count }, (_, index) => `refs/heads/b${index}`);
  await git(folder, ['update-ref', '--stdin'], {
    input: refs.map((ref) => `create ${ref} ${first}\n`).join(''),
  });
  const branches = Object.fromEntries(['refs/heads/main', ...refs].map((ref) => [ref, first]));
  await createRefs(ada.remote('ada/engine'), branches, await packOf(folder, [first]));
  await addMirror(ada, target.url);
  const sent = async () => {
    const before = target.requests.length;
    assert.equal(await update(forge, ada), '');
    return target.requests.slice(before).filter(({ path }) => path.endsWith('/git-receive-pack'));
  };
  assert.equal((await sent()).length, 2);
  assert.deepEqual(await refsAt(target.folder), await refsAt(folder));
  assert.deepEqual(await sent(), []);
  await commitTo(folder, 'b7', 'second');
  await pushAll(folder, ada);
  const [changed, ...others] = await sent();
  assert.deepEqual(others, []);
  assert.ok(changed !== undefined && changed.body.length < 2_000, 'the pack has three objects');
  assert.equal(changed.body.match(/refs\/heads\//g)?.length, 1);
  await git(folder, ['update-ref', '-d', 'refs/heads/b8']);
  await pushAll(folder, ada);
  const [deleted] = await sent();
  assert.ok(deleted !== undefined && !deleted.body.includes('PACK'), 'a deletion has no pack');
  assert.deepEqual(await refsAt(target.folder), await refsAt(folder));
});

test('with sync_on_commit, every kind of change is pushed soon, and several changes in one push', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const target = await startTarget(t, {
    intercept: async ({ url = '' }) => {
      if (url.endsWith('/git-receive-pack')) await released;
      return false;
    },
  });
  const other = await startTarget(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await addMirror(ada, target.url, { sync_on_commit: true });
  await addMirror(ada, other.url);
  const contents = '/api/v1/repos/ada/engine/contents';
  const content = Buffer.from('text').toString('base64');
  assert.equal((await ada.post(`${contents}/a`, { content })).status, 201);
  await until(() => target.requests.some(({ path }) => path.endsWith('/git-receive-pack')));
  // These changes are made while the first push is under way.
  for (const name of ['b', 'c', 'd'])
    assert.equal((await ada.post(`${contents}/${name}`, { content })).status, 201);
  assert.equal(
    (await ada.post('/api/v1/repos/ada/engine/branches', { new_branch_name: 'side' })).status,
    201,
  );
  release();
  await pushed(forge);
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(target.folder), await refsAt(folder, ada.remote('ada/engine')));
  assert.deepEqual(await refsAt(other.folder), []);
  const pushes = target.requests.filter(({ path }) => path.endsWith('/git-receive-pack'));
  assert.equal(pushes.length, 2);
  assert.equal((await ada.delete('/api/v1/repos/ada/engine/branches/side')).status, 204);
  await pushed(forge);
  assert.deepEqual(await refsAt(target.folder), await refsAt(folder, ada.remote('ada/engine')));
});

test('a push mirror with an interval is updated at once, and again when it is due', async (t) => {
  let isDown = false;
  const target = await startTarget(t, {
    intercept: async (_request, response) => {
      if (isDown) response.writeHead(500).end();
      return isDown;
    },
  });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const before = Date.now();
  const added = await addMirror(ada, target.url, { interval: '8h' });
  assert.deepEqual([added.interval, added.last_update], ['8h0m0s', '1970-01-01T00:00:00Z']);
  await pushed(forge);
  assert.equal((await refsAt(target.folder)).length, 1);
  const { database } = forge.forge.running.engines;
  const row = () => database.reader.selectFrom('push_mirrors').selectAll().executeTakeFirstOrThrow();
  const becomeDue = async () => {
    await database.transaction((tx) => tx.updateTable('push_mirrors').set({ due_at: 1 }).execute());
    await forge.forge.running.services.jobs.runDue({ aheadMs: MIRROR_LIMITS.mirrorsLookedForEveryMs });
    await pushed(forge);
    return row();
  };
  assert.ok(((await row()).due_at ?? 0) >= before + MIRROR_LIMITS.mirrorIntervalMs);
  await ada.post('/api/v1/repos/ada/engine/branches', { new_branch_name: 'side' });
  assert.equal((await refsAt(target.folder)).length, 1);
  await becomeDue();
  assert.equal((await refsAt(target.folder)).length, 2);

  isDown = true;
  for (const failures of [1, 2, 3]) {
    const { due_at: dueAt, ...failed } = await becomeDue();
    assert.deepEqual([failed.failures, failed.error], [failures, 'the target answers with status 500']);
    assert.ok((dueAt ?? 0) >= before + MIRROR_LIMITS.mirrorRetryMs * 2 ** (failures - 1));
    assert.ok((dueAt ?? 0) < before + MIRROR_LIMITS.mirrorIntervalMs);
  }
  isDown = false;
  const recovered = await becomeDue();
  assert.deepEqual([recovered.failures, recovered.error], [0, '']);
  const [record] = (await ada.get(PUSH_MIRRORS)).body;
  assert.notEqual(record.last_update, '1970-01-01T00:00:00Z');
});

test('a branch filter protects other branches of the target, and hides the commits of branches that it excludes', async (t) => {
  const target = await startTarget(t);
  const theirs = await commitTo(target.folder, 'their-own', 'theirs');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  await commitTo(folder, 'main', 'first');
  const hidden = await commitTo(folder, 'private', 'a secret');
  await commitTo(folder, 'release/1', 'one');
  await git(folder, ['tag', 'v1', 'main']);
  await pushAll(folder, ada);
  const added = await addMirror(ada, target.url, { branch_filter: 'main, release/*' });
  assert.equal(added.branch_filter, 'main, release/*');
  assert.equal(await update(forge, ada), '');
  const names = (await refsAt(target.folder)).map((line) => line.split('\t')[1]).sort();
  assert.deepEqual(names, [
    'refs/heads/main',
    'refs/heads/release/1',
    'refs/heads/their-own',
    'refs/tags/v1',
  ]);
  assert.equal(await git(target.folder, ['rev-parse', 'their-own']), theirs);
  await assert.rejects(git(target.folder, ['cat-file', '-e', hidden]));
  await git(folder, ['update-ref', '-d', 'refs/heads/release/1']);
  await pushAll(folder, ada);
  assert.equal(await update(forge, ada), '');
  assert.equal((await refsAt(target.folder)).length, 3);
});

test('changes that a pull mirror fetches are pushed by its push mirrors', async (t) => {
  const [source, target] = [await startTarget(t), await startTarget(t)];
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/repos/migrate', { clone_addr: source.url, repo_name: 'engine', mirror: true });
  await addMirror(ada, target.url, { sync_on_commit: true });
  await commitTo(source.folder, 'main', 'second');
  assert.equal((await ada.post('/api/v1/repos/ada/engine/mirror-sync')).status, 200);
  await until(async () => (await refsAt(target.folder)).join() === (await refsAt(source.folder)).join());
  await pushed(forge);
});

test('a push mirror still works after a rename and a transfer, and is deleted with its repository', async (t) => {
  const target = await startTarget(t);
  const forge = await startForge(t, ALLOWED);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  const { remote_name: name } = await addMirror(ada, target.url, { sync_on_commit: true });
  assert.equal((await ada.patch('/api/v1/repos/ada/engine', { name: 'motor' })).status, 200);
  const branch = (who: Person, path: string, new_branch_name: string) =>
    who.post(`/api/v1/repos/${path}/branches`, { new_branch_name });
  assert.equal((await branch(ada, 'ada/motor', 'one')).status, 201);
  await pushed(forge);
  assert.equal((await refsAt(target.folder)).length, 2);
  assert.equal((await ada.get(`/api/v1/repos/ada/motor/push_mirrors/${name}`)).body.repo_name, 'motor');
  await ada.post('/api/v1/repos/ada/motor/transfer', { new_owner: 'ben' });
  assert.equal((await ben.post('/api/v1/repos/ada/motor/transfer/accept')).status, 202);
  assert.equal((await branch(ben, 'ben/motor', 'two')).status, 201);
  await pushed(forge);
  assert.equal((await refsAt(target.folder)).length, 3);
  assert.equal((await ben.get(`/api/v1/repos/ben/motor/push_mirrors/${name}`)).status, 200);
  assert.equal((await ben.delete('/api/v1/repos/ben/motor')).status, 204);
  const { reader } = forge.forge.running.engines.database;
  assert.deepEqual(await reader.selectFrom('push_mirrors').select('id').execute(), []);
  assert.equal((await refsAt(target.folder)).length, 3);
});
