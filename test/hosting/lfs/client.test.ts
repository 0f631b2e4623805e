import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit } from '../../support/git/git.ts';
import { collectLog } from '../../support/log-lines.ts';
import { batch, objectOf, pointerTo } from './objects.ts';
import { CuttingProxy } from './proxy.ts';
import { clone, largeFilesCopy, whyNoGitLfs } from './working-copies.ts';

const options = { skip: whyNoGitLfs };
const MIB = 1024 * 1024;

/** Address of a repository behind another server. */
function remoteAt(url: string, person: Person, path: string): string {
  return person.remote(path).replace(/@[^/]+/, `@${new URL(url).host}`);
}

test('git-lfs pushes, clones and fetches files, and skips those that are there', options, async (t) => {
  const forge = await startForge(t, { logLevel: 'info' });
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const remote = ada.remote('ada/engine');
  const folder = await largeFilesCopy(t);
  const first = randomBytes(2 * MIB);
  await writeFile(join(folder, 'first.bin'), first);
  await writeFile(join(folder, 'same.bin'), first);
  await writeFile(join(folder, 'second.bin'), 'second');
  await commitAll(folder, 'Begin');

  await git(folder, ['push', '-q', remote, 'main']);

  const raw = await ada.get('/api/v1/repos/ada/engine/raw/first.bin');
  assert.equal(raw.text, pointerTo(objectOf(first)));
  const copy = await clone(t, remote);
  assert.equal(await readFile(join(copy, 'second.bin'), 'utf8'), pointerTo(objectOf('second')));
  await git(copy, ['lfs', 'pull']);
  assert.ok((await readFile(join(copy, 'first.bin'))).equals(first));
  assert.ok((await readFile(join(copy, 'same.bin'))).equals(first));
  assert.equal(await readFile(join(copy, 'second.bin'), 'utf8'), 'second');
  assert.equal((await tryGit(copy, ['lfs', 'fsck'])).exitCode, 0);

  await writeFile(join(copy, 'third.bin'), 'third');
  await commitAll(copy, 'More');
  const log = collectLog(forge.forge.running.app);
  const pushed = await tryGit(copy, ['push', 'origin', 'main']);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  assert.equal(log.filter((line) => line.includes('"method":"PUT"')).length, 1, 'only the new file is sent');
});

test('git-lfs reports objects that are missing or not allowed', options, async (t) => {
  const forge = await startForge(t, { settings: { lfsObjectMib: '1' } });
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.repository('engine');
  const folder = await largeFilesCopy(t);
  await writeFile(join(folder, 'large.bin'), Buffer.alloc(MIB + 1));
  await commitAll(folder, 'Begin');

  const large = await tryGit(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  assert.notEqual(large.exitCode, 0);
  assert.match(large.stderr, /at most 1048576 bytes/);
  const denied = await tryGit(folder, ['lfs', 'push', eve.remote('ada/engine'), 'main']);
  assert.notEqual(denied.exitCode, 0);
  assert.match(denied.stderr, /you may read this repository, but not upload to it/);

  await git(folder, ['push', '-q', '--no-verify', ada.remote('ada/engine'), 'main']);
  const copy = await clone(t, ada.remote('ada/engine'));
  const pulled = await tryGit(copy, ['lfs', 'pull']);
  assert.notEqual(pulled.exitCode, 0);
  assert.match(pulled.stderr, /Not Found/);
});

test('git-lfs locks files, keeps others from pushing them, and unlocks them', options, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bob = await forge.account('bob');
  await ada.repository('engine');
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  const folder = await largeFilesCopy(t);
  await writeFile(join(folder, 'plan.bin'), 'first');
  await commitAll(folder, 'Begin');
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const ours = await clone(t, ada.remote('ada/engine'));
  const theirs = await clone(t, bob.remote('ada/engine'));

  await git(ours, ['lfs', 'lock', 'plan.bin']);
  assert.match(await git(theirs, ['lfs', 'locks']), /^plan\.bin\s+ada\s+ID:\d+$/);
  assert.notEqual((await tryGit(theirs, ['lfs', 'lock', 'plan.bin'])).exitCode, 0);
  await git(theirs, ['lfs', 'pull']);
  // git-lfs makes files read-only that need a lock.
  await chmod(join(theirs, 'plan.bin'), 0o644);
  await writeFile(join(theirs, 'plan.bin'), 'changed');
  await commitAll(theirs, 'Change');
  const pushed = await tryGit(theirs, ['-c', 'lfs.locksverify=true', 'push', '-q', 'origin', 'main']);
  assert.notEqual(pushed.exitCode, 0);
  assert.match(pushed.stderr, /Cannot update locked files/);

  assert.notEqual((await tryGit(theirs, ['lfs', 'unlock', 'plan.bin'])).exitCode, 0);
  await git(ours, ['lfs', 'unlock', 'plan.bin']);
  assert.equal(await git(theirs, ['lfs', 'locks']), '');
  await git(theirs, ['-c', 'lfs.locksverify=true', 'push', '-q', 'origin', 'main']);
});

test('git-lfs continues a download and an upload that were cut off', options, async (t) => {
  const proxy = await CuttingProxy.start(t);
  const forge = await startForge(t, { baseUrl: proxy.url });
  proxy.passTo(forge);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await largeFilesCopy(t);
  const content = randomBytes(4 * MIB);
  const { oid } = objectOf(content);
  await writeFile(join(folder, 'large.bin'), content);
  await commitAll(folder, 'Begin');
  const remote = remoteAt(proxy.url, ada, 'ada/engine');

  await git(folder, ['config', 'lfs.tustransfers', 'true']);
  proxy.cutNext({ method: 'PATCH', path: /\/uploads\//, afterBytes: 2 * MIB });
  await git(folder, ['push', '-q', remote, 'main']);
  const uploads = proxy.seen.filter(({ method }) => method === 'PATCH');
  assert.equal(uploads.length, 2);
  assert.equal(uploads[0]?.uploadOffset, '0');
  assert.ok(Number(uploads[1]?.uploadOffset) > 0, uploads[1]?.uploadOffset);
  const known = await batch(ada, 'ada/engine', 'download', [objectOf(content)]);
  assert.equal(known.body.objects[0].error, undefined);

  const copy = await clone(t, remote);
  proxy.cutNext({ method: 'GET', path: new RegExp(oid), afterBytes: 2 * MIB });
  await git(copy, ['lfs', 'pull']);
  assert.ok((await readFile(join(copy, 'large.bin'))).equals(content));
  const downloads = proxy.seen.filter(({ method, path }) => method === 'GET' && path.includes(oid));
  assert.equal(downloads.length, 2);
  assert.match(downloads[1]?.range ?? '', /^bytes=[1-9]\d+-/);
});
