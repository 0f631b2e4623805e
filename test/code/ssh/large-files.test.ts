import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { objectOf, storedFiles, upload } from '../../hosting/lfs/objects.ts';
import { clone, largeFilesCopy, whyNoGitLfs } from '../../hosting/lfs/working-copies.ts';
import { limit } from '../../hosting/quota/groups.ts';
import type { TestForgeOptions } from '../../support/forge/forge.ts';
import { commitAll, type GitRun, git, tryGit } from '../../support/git/git.ts';
import { collectLog } from '../../support/log-lines.ts';
import {
  addKey,
  gitOverSshWithout,
  gitWithKey,
  type KeyFile,
  newKeyFile,
  sshRemote,
  startEngine,
} from './ssh-stage.ts';

const options = { skip: whyNoGitLfs };
const MIB = 1024 * 1024;

/** Starts a forge where ada has a private repository, and a working copy of it for large files. */
async function stage(t: TestContext, forgeOptions: TestForgeOptions = {}) {
  const { forge, ada, key } = await startEngine(t, forgeOptions, { private: true });
  const remote = sshRemote(forge, 'ada/engine');
  const folder = await largeFilesCopy(t);
  await git(folder, ['remote', 'add', 'origin', remote]);
  return { forge, ada, folder, remote, run: await runner(t, key) };
}

/** Returns a function that runs git with a key, and without a way to HTTP. */
async function runner(t: TestContext, key: KeyFile) {
  const environment = {
    ...(await gitOverSshWithout(t, key, 'git-lfs-authenticate')),
    GIT_TRACE: '1',
    GIT_TRACE_PACKET: '1',
  };
  const run = (folder: string, ...args: string[]) => tryGit(folder, args, { environment });
  const succeed = async (folder: string, ...args: string[]): Promise<GitRun> => {
    const done = await run(folder, ...args);
    assert.equal(done.exitCode, 0, done.stderr);
    return done;
  };
  const fail = async (folder: string, ...args: string[]): Promise<string> => {
    const { exitCode, stderr } = await run(folder, ...args);
    assert.notEqual(exitCode, 0);
    return stderr;
  };
  return { succeed, fail, clone: (remote: string) => clone(t, remote, [], environment) };
}

/** Counts the requests that the trace of a client has. */
function requestsIn({ stderr }: GitRun, command: string): number {
  return stderr.split(`> ${command} `).length - 1;
}

test('git-lfs pushes and pulls over SSH alone, and skips what is there', options, async (t) => {
  const { forge, folder, remote, run } = await stage(t, { logLevel: 'info' });
  const log = collectLog(forge.forge.running.app);
  const first = randomBytes(5 * MIB);
  await writeFile(join(folder, 'first.bin'), first);
  await writeFile(join(folder, 'same.bin'), first);
  await writeFile(join(folder, 'second.bin'), 'second');
  await commitAll(folder, 'Begin');
  const pushed = await run.succeed(folder, 'push', 'origin', 'main');
  assert.equal(requestsIn(pushed, 'put-object'), 2);
  assert.equal(storedFiles(forge, objectOf(first)).length, 1);

  const copy = await run.clone(remote);
  const pulled = await run.succeed(copy, 'lfs', 'pull');
  assert.equal(requestsIn(pulled, 'get-object'), 2);
  assert.ok((await readFile(join(copy, 'first.bin'))).equals(first));
  assert.equal(await readFile(join(copy, 'second.bin'), 'utf8'), 'second');
  await git(copy, ['lfs', 'fsck']);

  await writeFile(join(copy, 'third.bin'), 'third');
  await commitAll(copy, 'More');
  await git(copy, ['update-ref', '-d', 'refs/remotes/origin/main']);
  const more = await run.succeed(copy, 'lfs', 'push', '--all', 'origin', 'main');
  assert.equal(requestsIn(more, 'put-object'), 1);
  assert.deepEqual(
    log.filter((line) => line.includes('info/lfs')),
    [],
  );
});

test('git-lfs locks files over SSH alone, and keeps others from pushing them', options, async (t) => {
  const { forge, ada, folder, remote, run } = await stage(t);
  const bob = await forge.account('bob');
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  const bobs = await runner(t, await addKey(t, bob));
  await writeFile(join(folder, 'plan.bin'), 'first');
  await commitAll(folder, 'Begin');
  await run.succeed(folder, 'push', '-q', 'origin', 'main');
  const theirs = await bobs.clone(remote);
  await bobs.succeed(theirs, 'lfs', 'pull');

  await run.succeed(folder, 'lfs', 'lock', 'plan.bin');
  assert.match((await bobs.succeed(theirs, 'lfs', 'locks')).stdout, /^plan\.bin\s+ada\s+ID:\d+\n$/);
  assert.match(await bobs.fail(theirs, 'lfs', 'lock', 'plan.bin'), /ada has locked this file|already locked/);
  // git-lfs makes files read-only that need a lock.
  await chmod(join(theirs, 'plan.bin'), 0o644);
  await writeFile(join(theirs, 'plan.bin'), 'changed');
  await commitAll(theirs, 'Change');
  const push = ['-c', 'lfs.locksverify=true', 'push', '-q', 'origin', 'main'];
  assert.match(await bobs.fail(theirs, ...push), /Cannot update locked files/);
  await bobs.fail(theirs, 'lfs', 'unlock', 'plan.bin');
  await run.succeed(folder, 'lfs', 'unlock', 'plan.bin');
  assert.equal((await bobs.succeed(theirs, 'lfs', 'locks')).stdout, '');
  await bobs.succeed(theirs, ...push);
});

test('git-lfs shows its user why an upload over SSH is rejected', options, async (t) => {
  const { forge, ada, folder, run } = await stage(t, { settings: { lfsObjectMib: '1' } });
  await writeFile(join(folder, 'large.bin'), Buffer.alloc(MIB + 1));
  await commitAll(folder, 'Begin');
  const push = ['push', '-q', 'origin', 'main'];
  assert.match(await run.fail(folder, ...push), /at most 1048576 bytes/);
  await limit(forge.root, 'ada', { bytes: 1_000, subjects: ['size:git:lfs'] });
  const content = randomBytes(2_000);
  await writeFile(join(folder, 'large.bin'), content);
  await git(folder, ['add', '.']);
  await git(folder, ['commit', '-q', '--amend', '-m', 'Begin']);
  assert.match(
    await run.fail(folder, ...push),
    /the quota of the owner for size:git:lfs has no room for this/,
  );
  const reading = await newKeyFile(t);
  const body = { key: reading.line, title: 'reader', read_only: true };
  assert.equal((await ada.post('/api/v1/repos/ada/engine/keys', body)).status, 201);
  const denied = await gitWithKey(folder, reading, ['lfs', 'push', 'origin', 'main']);
  assert.notEqual(denied.exitCode, 0);
  assert.match(denied.stderr, /you may read this repository, but not upload to it/);
  assert.deepEqual(storedFiles(forge, objectOf(content)), []);
});

test('git-lfs reports an object that is missing, and gets the others over SSH', options, async (t) => {
  const { ada, folder, remote, run } = await stage(t);
  await writeFile(join(folder, 'missing.bin'), 'missing');
  await writeFile(join(folder, 'there.bin'), 'there');
  await commitAll(folder, 'Begin');
  await run.succeed(folder, 'push', '-q', '--no-verify', 'origin', 'main');
  await upload(ada, 'ada/engine', 'there');
  const copy = await run.clone(remote);
  const pull = ['-c', 'lfs.transfer.maxretries=1', 'lfs', 'pull'];
  assert.match(await run.fail(copy, ...pull), /got status 404 .*object not found/);
  assert.equal(await readFile(join(copy, 'there.bin'), 'utf8'), 'there');
});

test('git-lfs finds a renamed repository over SSH by its old name', options, async (t) => {
  const { ada, forge, folder, run } = await stage(t);
  await writeFile(join(folder, 'large.bin'), 'large');
  await commitAll(folder, 'Begin');
  await ada.patch('/api/v1/repos/ada/engine', { name: 'machine' });
  await run.succeed(folder, 'push', '-q', 'origin', 'main');
  assert.equal(storedFiles(forge, objectOf('large')).length, 1);
  assert.equal((await ada.get('/api/v1/repos/ada/machine/media/large.bin')).text, 'large');
});
