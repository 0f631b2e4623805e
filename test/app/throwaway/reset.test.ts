import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { heldBack, packOf, pushBody, ZERO } from '../../code/transport/wire.ts';
import { batch, follow, objectOf } from '../../hosting/lfs/objects.ts';
import { afterTest } from '../../support/after-test.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { startWorld, tokenOf } from './world.ts';

// Runs once: a throwaway server has a database of its own.
// Runs alone: the clock of a throwaway server is that of its process.

const ENGINE = '/api/v1/repos/ada/engine';

test('a reset brings back rows, ids and counters', async (t) => {
  const { forge, send } = await startWorld(t);
  const make = async () => {
    const issue = await send('POST', `${ENGINE}/issues`, { json: { title: 'New' } });
    const label = await send('POST', `${ENGINE}/labels`, { json: { name: 'bug', color: '#d73a4a' } });
    const json = { username: 'linus', email: 'linus@example.org', password: 'penguins swim' };
    const user = await send('POST', '/api/v1/admin/users', { json });
    const repository = await send('POST', '/api/v1/user/repos', { json: { name: 'loom' } });
    return [issue.body.number, issue.body.id, label.body.id, user.body.id, repository.body.id];
  };
  const first = await make();
  await send('DELETE', '/api/v1/repos/root/loom');
  await send('PATCH', ENGINE, { json: { name: 'mill', private: true } });
  await forge.reset();

  assert.equal((await send('GET', '/api/v1/users/linus')).status, 404);
  assert.equal((await send('GET', '/api/v1/repos/ada/mill')).status, 404);
  const { private: isPrivate, open_issues_count: issues } = (await send('GET', ENGINE)).body;
  assert.deepEqual([isPrivate, issues], [false, 1]);
  assert.deepEqual(await make(), first);
});

test('a reset brings back refs, and git objects that are newer are gone', async (t) => {
  const { forge, send } = await startWorld(t);
  const remote = `${forge.url}/ada/engine`;
  const authorized = remote.replace('://', `://ada:${tokenOf(forge)}@`);
  const before = await git('.', ['ls-remote', remote]);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', authorized, 'copy']);
  const copy = join(folder, 'copy');
  await writeFile(join(copy, 'b.txt'), 'b\n');
  const oid = await commitAll(copy, 'Second');
  await git(copy, ['push', '-q', 'origin', 'main', 'main:refs/tags/v9', ':next']);
  assert.notEqual(await git('.', ['ls-remote', remote]), before);

  await forge.reset();

  assert.equal(await git('.', ['ls-remote', remote]), before);
  assert.equal((await send('GET', `${ENGINE}/git/commits/${oid}`)).status, 404);
  await git(copy, ['push', '-q', 'origin', 'main']);
});

test('a reset brings back passwords and tokens, also those that the server has verified', async (t) => {
  const { forge, send } = await startWorld(t);
  const old = { name: 'grace', password: 'grace-password' };
  const fresh = { name: 'grace', password: 'another one of hers' };
  const status = async (as: { name: string; password: string } | { token: string }) =>
    (await send('GET', '/api/v1/user', { as })).status;
  assert.equal(await status(old), 200);
  const json = { name: 'made later', scopes: ['all'] };
  const token = (await send('POST', '/api/v1/users/grace/tokens', { as: old, json })).body.sha1;
  await send('PATCH', '/api/v1/admin/users/grace', { json: { password: fresh.password } });
  await send('DELETE', '/api/v1/admin/users/ada?purge=true');
  assert.deepEqual([await status(fresh), await status(old), await status({ token })], [200, 401, 200]);
  assert.equal(await status({ token: tokenOf(forge) }), 401);

  await forge.reset();

  assert.deepEqual([await status(fresh), await status(old), await status({ token })], [401, 200, 401]);
  assert.equal(await status({ token: tokenOf(forge) }), 200);
});

test('a reset brings back files of git-lfs and notifications', async (t) => {
  const { forge, send } = await startWorld(t);
  const sender = { send };
  const object = objectOf('a large file');
  const grace = { name: 'grace', password: 'grace-password' };
  const unread = async () => (await send('GET', '/api/v1/notifications', { as: grace })).body.length;
  const before = await unread();
  const { body } = await batch(sender, 'ada/engine', 'upload', [object]);
  const { upload } = body.objects[0].actions;
  assert.equal((await follow('PUT', upload, 'a large file')).status, 200);
  assert.equal((await batch(sender, 'ada/engine', 'upload', [object])).body.objects[0].actions, undefined);
  await send('PUT', '/api/v1/notifications', { as: grace });
  for (const title of ['For you', 'And this'])
    await send('POST', `${ENGINE}/issues`, { json: { title, body: '@grace' } });
  await until(async () => (await unread()) === 2);

  await forge.reset();

  assert.equal(await unread(), before);
  assert.ok((await batch(sender, 'ada/engine', 'upload', [object])).body.objects[0].actions.upload);
});

test('a reset begins the counts of the metrics again', async (t) => {
  const { forge, send } = await startWorld(t);
  const count = async () => {
    const { text } = await send('GET', '/metrics');
    return text.split('\n').filter((line) => line.includes('/users/:username"')).length;
  };
  await send('GET', '/api/v1/users/ada');
  assert.notEqual(await count(), 0);
  await forge.reset();
  assert.equal(await count(), 0);
});

test('a push in progress ends in the world before the reset', async (t) => {
  const { forge } = await startWorld(t);
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x\n');
  const tip = await commitAll(work, 'first');
  const pack = await packOf(work, [tip]);
  const commands = [{ old: ZERO, new: tip, ref: 'refs/heads/late' }];
  const held = heldBack(pushBody({ commands, pack }), 10);
  const pushed = fetch(`${forge.url}/ada/engine/git-receive-pack`, {
    method: 'POST',
    body: held.stream,
    duplex: 'half',
    headers: {
      authorization: `token ${tokenOf(forge)}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
  });
  await until(async () => /running 2$/m.test(await metricsOf(forge.url)));
  const old = forge.dataFolder;

  await forge.reset();
  held.release();

  assert.match(await (await pushed).text(), /ok refs\/heads\/late/);
  assert.doesNotMatch(await git('.', ['ls-remote', `${forge.url}/ada/engine`]), /late/);
  await until(() => !existsSync(old));
});

async function metricsOf(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('quire_http_requests_running'))
    .join('\n');
}

test('a fetch in progress receives the world before the reset, whole', async (t) => {
  const { forge, send } = await startWorld(t);
  const content = Buffer.alloc(6 * 1024 * 1024);
  for (let at = 0; at < content.length; at += 4)
    content.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);
  const as = { token: tokenOf(forge) };
  const made = await send('POST', '/api/v1/user/repos', { as, json: { name: 'loom' } });
  assert.equal(made.status, 201);
  const folder = await workingCopy(t);
  await writeFile(join(folder, 'large.bin'), content);
  await commitAll(folder, 'Large');
  await git(folder, [
    'push',
    '-q',
    `${forge.url.replace('://', `://ada:${tokenOf(forge)}@`)}/ada/loom`,
    'main',
  ]);
  const response = await fetch(`${forge.url}/ada/loom/raw/branch/main/large.bin`);
  assert.equal(response.status, 200);

  await forge.reset();

  assert.equal((await fetch(`${forge.url}/ada/loom/raw/branch/main/large.bin`)).status, 404);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(content));
});

test('a stream of events ends with the world that it is about', async (t) => {
  const { forge } = await startWorld(t);
  const response = await fetch(`${forge.url}/api/v1/events?cursor=latest`, {
    headers: { authorization: `token ${tokenOf(forge)}`, accept: 'text/event-stream' },
  });
  const ended = response.text();
  await forge.reset();
  await ended;
});

test('work that the old world requested does not run after a reset', async (t) => {
  const asked: string[] = [];
  const other = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  afterTest(t, () => other.close());
  await until(() => other.listening);
  const { port } = other.address() as AddressInfo;
  const { forge, send } = await startWorld(t, { settings: { outboundAllow: '127.0.0.1' } });
  const json = { name: 'copy' };
  assert.equal((await send('POST', '/api/v1/user/repos', { json })).status, 201);
  const mirror = { remote_address: `http://127.0.0.1:${port}/x.git`, interval: '8h0m0s' };
  const added = await send('POST', '/api/v1/repos/root/copy/push_mirrors', { json: mirror });
  assert.equal(added.status, 200);

  await forge.reset();
  asked.length = 0;
  await forge.clock.advance('2d');

  assert.deepEqual(asked, []);
});

test('resets at the same time come one after the other, and each leaves a whole world', async (t) => {
  const { forge, send } = await startWorld(t);
  await send('DELETE', ENGINE);
  await Promise.all([1, 2, 3].map(() => send('POST', '/-/test/reset')));
  assert.equal((await send('GET', ENGINE)).status, 200);
  assert.equal((await send('POST', `${ENGINE}/issues`, { json: { title: 'x' } })).body.number, 2);
  assert.match(await git('.', ['ls-remote', `${forge.url}/ada/engine`]), /refs\/heads\/next/);
});

test('a forge with data that remains has no seed and no reset', async (t) => {
  const dataFolder = await temporaryFolder(t);
  const { forge } = await startWorld(t, { dataFolder });
  await assert.rejects(forge.reset(), /needs throwaway data: leave out dataFolder and databaseUrl/);
  await assert.rejects(forge.clock.advance(1), /needs throwaway data/);
  await assert.rejects(startWorld(t, { dataFolder, seed: {} }), /a seed needs throwaway data/);
});
