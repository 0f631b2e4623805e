import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commitAll, git, temporaryFolder } from '../../support/git/git.ts';
import { isPushing, untilNothingIsLeft, untilPushing } from '../transport/quarantines.ts';
import { packOf, pushBody } from '../transport/wire.ts';
import { commitFile, endOf, exec, gitWithKey, openExec, signedIn, startEngine } from './ssh-stage.ts';

const PUSH = "git-receive-pack '/ada/engine.git'";
const FETCH = "git-upload-pack '/ada/engine.git'";

/** Starts a forge with a pushed commit, and one that is not pushed yet. */
async function startPush(t: TestContext, bytes = 100) {
  const at = await startEngine(t);
  const { key, work } = at;
  assert.equal((await gitWithKey(work, key, ['push', '-q', 'origin', 'main'])).exitCode, 0);
  const first = await git(work, ['rev-parse', 'HEAD']);
  await writeFile(join(work, 'random'), randomBytes(bytes));
  const second = await commitAll(work, 'second');
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const body = pushBody({ commands, pack: await packOf(work, [second, `^${first}`]) });
  const tip = async () => (await at.ada.get('/api/v1/repos/ada/engine/branches/main')).body.commit.id;
  return { ...at, first, second, body, tip };
}

test('a push whose client vanishes halfway changes nothing and leaves nothing behind', async (t) => {
  const { forge, key, body, first, tip } = await startPush(t, 8 * 1024 * 1024);
  const client = await signedIn(t, forge, key);
  const channel = await openExec(client, PUSH);
  channel.resume();
  channel.write(body.subarray(0, body.length / 2));
  await untilPushing(forge);
  client.destroy();
  await untilNothingIsLeft(forge);
  assert.equal(await isPushing(forge), false);
  assert.equal(await tip(), first);
});

test('a push that ends halfway is rejected, and the connection goes on', async (t) => {
  const { forge, key, body, first, second, tip } = await startPush(t, 100_000);
  const client = await signedIn(t, forge, key);
  const cut = await exec(client, PUSH, body.subarray(0, body.length - 1_000));
  assert.match(cut.stdout.toString('latin1'), /unpack .*\n.*ng refs\/heads\/main/);
  assert.equal(await tip(), first);
  const whole = await exec(client, PUSH, body);
  assert.match(whole.stdout.toString('latin1'), /unpack ok\n.*ok refs\/heads\/main/);
  assert.equal(await tip(), second);
});

test('a client that waits for the report without ending its pack gets it', async (t) => {
  const { forge, key, body, second, tip } = await startPush(t, 3_000_000);
  const client = await signedIn(t, forge, key);
  const channel = await openExec(client, PUSH);
  const ended = endOf(channel);
  channel.write(body);
  const { stdout } = await ended;
  assert.match(stdout.toString('latin1'), /unpack ok\n.*ok refs\/heads\/main/);
  assert.equal(await tip(), second);
});

test('a client that deletes a ref need not end what it sends', async (t) => {
  const { forge, ada, key, work, first } = await startPush(t);
  await gitWithKey(work, key, ['push', '-q', 'origin', `${first}:refs/heads/old`]);
  const client = await signedIn(t, forge, key);
  const channel = await openExec(client, PUSH);
  const ended = endOf(channel);
  channel.write(pushBody({ commands: [{ old: first, ref: 'refs/heads/old' }] }));
  assert.match((await ended).stdout.toString('latin1'), /ok refs\/heads\/old/);
  assert.equal((await ada.get('/api/v1/repos/ada/engine/branches/old')).status, 404);
});

test('a client that sends no command after the refs pushes nothing', async (t) => {
  const { forge, key, first, tip } = await startPush(t);
  const client = await signedIn(t, forge, key);
  for (const input of ['', '0000']) assert.equal((await exec(client, PUSH, Buffer.from(input))).code, 0);
  assert.equal(await tip(), first);
});

test('malformed requests fail with a reason', async (t) => {
  const { forge, key } = await startPush(t);
  const client = await signedIn(t, forge, key);
  for (const [command, input] of [
    [PUSH, 'zzzz'],
    [PUSH, '0006ab'],
    [FETCH, 'zzzz'],
    [FETCH, '0014command=ls-refs\n'],
    ["git-upload-archive '/ada/engine.git'", '0008abcd0000'],
  ] as const) {
    const failed = await exec(client, command, Buffer.from(input));
    assert.equal(failed.code, 1, `${command} ${input}`);
    assert.match(failed.stderr, /malformed|ends too early|ends in the middle/, `${command} ${input}`);
  }
});

test('a client may change the keys of its connection during a transfer', async (t) => {
  const { key, work, remote } = await startPush(t, 20_000_000);
  const rekeying = ['-o', 'RekeyLimit=1M'];
  const pushed = await gitWithKey(work, key, ['push', '-q', 'origin', 'main'], rekeying);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  const folder = await temporaryFolder(t);
  const cloned = await gitWithKey(folder, key, ['clone', '-q', remote, 'copy'], rekeying);
  assert.equal(cloned.exitCode, 0, cloned.stderr);
  await git(join(folder, 'copy'), ['fsck', '--strict']);
});

test('a stopping server ends idle connections, and lets commands finish', async (t) => {
  const { forge, key, body, second } = await startPush(t, 2_000_000);
  forge.stopAfterTest();
  const idle = await signedIn(t, forge, key);
  const closed = once(idle, 'close');
  const client = await signedIn(t, forge, key);
  const channel = await openExec(client, PUSH);
  const ended = endOf(channel);
  channel.write(body.subarray(0, 1_000_000));
  await untilPushing(forge);
  const { ssh, services } = forge.forge.running;
  const stopped = ssh?.stop();
  await closed;
  channel.end(body.subarray(1_000_000));
  assert.match((await ended).stdout.toString('latin1'), /ok refs\/heads\/main/);
  await stopped;
  const id = await services.repositories.findId({ owner: 'ada', name: 'engine' });
  const snapshot = await forge.forge.running.engines.git.refs.open(id ?? 0);
  assert.equal(snapshot.ref('refs/heads/main'), second);
});

test('a commit that only SSH has pushed is fetched over HTTP', async (t) => {
  const { ada, key, work } = await startPush(t);
  const tip = await commitFile(work, 'more');
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main']);
  assert.match(await git(work, ['ls-remote', ada.remote('ada/engine'), 'main']), new RegExp(`^${tip}`));
});
