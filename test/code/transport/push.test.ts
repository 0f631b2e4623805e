import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, temporaryFolder, tryGit, workingCopy } from '../../support/git/git.ts';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly remote: string;
  /** working copy with one pushed commit on `main` */
  readonly work: string;
}

async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  await commitAll(work, 'begin');
  const remote = ada.remote('ada/engine');
  await git(work, ['remote', 'add', 'origin', remote]);
  await git(work, ['push', '-q', 'origin', 'main']);
  return { forge, ada, remote, work };
}

async function commitFile(folder: string, name: string): Promise<string> {
  await writeFile(join(folder, name), `${name}\n`);
  return commitAll(folder, name);
}

test('one push can contain branches and tags of every kind', async (t) => {
  const { work, remote } = await stage(t);
  await commitFile(work, 'one');
  await git(work, ['branch', 'topic/deep/name', 'HEAD~1']);
  await git(work, ['branch', 'größe', 'HEAD']);
  await git(work, ['tag', 'light']);
  await git(work, ['tag', '-a', '-m', 'annotated', 'annotated']);
  await git(work, ['tag', '-a', '-m', 'of a tag', 'nested', 'annotated']);
  await git(work, ['tag', 'of-a-tree', 'HEAD^{tree}']);
  await git(work, ['tag', '-a', '-m', 'of a blob', 'of-a-blob', 'HEAD:README.md']);
  await git(work, ['update-ref', 'refs/notes/commits', 'HEAD']);
  await git(work, ['push', '-q', 'origin', 'refs/*:refs/*']);
  const expected = (await refsOf(work)).filter((line) => !line.startsWith('refs/remotes/'));
  const pushed = (await refsOf(work, remote)).filter((line) => !line.startsWith('refs/remotes/'));
  assert.deepEqual(pushed, expected);
  assert.equal(expected.length, 9);
});

test('a push of the current state changes nothing', async (t) => {
  const { forge, ada, work, remote } = await stage(t);
  const { database } = forge.forge.running.engines;
  const state = async () => ({
    refs: await refsOf(work, remote),
    record: (await ada.get('/api/v1/repos/ada/engine')).body,
    events: await eventsOf(database, ''),
  });
  const before = await state();

  const again = await git(work, ['push', '--porcelain', 'origin', 'main']);

  assert.match(again, /^=\trefs\/heads\/main:refs\/heads\/main\t\[up to date\]$/m);
  assert.deepEqual(await state(), before);
});

test('a new branch on an existing commit can be pushed without objects', async (t) => {
  const { work, remote } = await stage(t);
  const tip = await git(work, ['rev-parse', 'HEAD']);
  await git(work, ['push', '-q', 'origin', 'main:refs/heads/second', 'main:refs/tags/third']);
  assert.deepEqual(await refsOf(work, remote), [
    `refs/heads/main ${tip}`,
    `refs/heads/second ${tip}`,
    `refs/tags/third ${tip}`,
  ]);
});

test('a non-atomic push moves every valid ref', async (t) => {
  const { work, remote } = await stage(t);
  await git(work, ['push', '-q', 'origin', 'main:topic']);
  const before = await git(work, ['rev-parse', 'HEAD']);
  const after = await commitFile(work, 'one');
  const pushed = await tryGit(work, ['push', '--porcelain', 'origin', 'main:topic', 'main:refs/pull/1/head']);
  assert.equal(pushed.exitCode, 1);
  assert.match(pushed.stdout, /^ \trefs\/heads\/main:refs\/heads\/topic\t/m);
  assert.match(
    pushed.stdout,
    /^!\trefs\/heads\/main:refs\/pull\/1\/head\t\[remote rejected\] \(.*reserved.*\)$/m,
  );
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${before}`, `refs/heads/topic ${after}`]);
});

test('an atomic push moves all refs', async (t) => {
  const { work, remote } = await stage(t);
  const tip = await commitFile(work, 'one');
  await git(work, ['push', '-q', '--atomic', 'origin', 'main', 'main:two', 'main:three']);
  assert.deepEqual(await refsOf(work, remote), [
    `refs/heads/main ${tip}`,
    `refs/heads/three ${tip}`,
    `refs/heads/two ${tip}`,
  ]);
});

test('an atomic push with one rejected ref moves none', async (t) => {
  const { work, remote } = await stage(t);
  const before = await refsOf(work, remote);
  await commitFile(work, 'one');
  const pushed = await tryGit(work, [
    'push',
    '--porcelain',
    '--atomic',
    'origin',
    'main',
    'main:two',
    'main:refs/pull/1/head',
  ]);
  assert.equal(pushed.exitCode, 1);
  assert.equal(pushed.stdout.match(/\[remote rejected\]/g)?.length, 3, pushed.stdout);
  assert.equal(pushed.stdout.match(/\(atomic push failed\)/g)?.length, 2, pushed.stdout);
  assert.deepEqual(await refsOf(work, remote), before);
});

test('a push can delete branches and tags, except the default branch', async (t) => {
  const { work, remote } = await stage(t);
  const tip = await git(work, ['rev-parse', 'HEAD']);
  await git(work, ['push', '-q', 'origin', 'main:two', 'main:refs/tags/v1']);
  await git(work, ['push', '-q', 'origin', ':two', ':refs/tags/v1']);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`]);
  const refused = await tryGit(work, ['push', 'origin', ':main']);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /\[remote rejected\] main \(the default branch cannot be deleted\)/);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`]);
});

test('a push that deletes a missing ref succeeds', async (t) => {
  const { work, remote } = await stage(t);
  const tip = await git(work, ['rev-parse', 'HEAD']);
  const alone = await tryGit(work, ['push', '--porcelain', 'origin', ':refs/heads/gone']);
  assert.equal(alone.exitCode, 0, alone.stderr);
  assert.match(alone.stdout, /^-\t:refs\/heads\/gone\t\[deleted\]$/m);
  await git(work, ['push', '-q', '--atomic', 'origin', ':refs/heads/gone', 'main:two']);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`, `refs/heads/two ${tip}`]);
});

test('a branch and a folder of branches with the same name exclude each other', async (t) => {
  const { work, remote } = await stage(t);
  await git(work, ['push', '-q', 'origin', 'main:topic']);
  const refused = await tryGit(work, ['push', 'origin', 'main:topic/one']);
  assert.match(refused.stderr, /\[remote rejected\] main -> topic\/one \(another ref is in the way/);
  await git(work, ['push', '-q', 'origin', ':topic']);
  await git(work, ['push', '-q', 'origin', 'main:topic/one']);
  assert.match((await refsOf(work, remote)).join('\n'), /refs\/heads\/topic\/one /);
});

test('a rewritten history can be pushed with --force', async (t) => {
  const { work, remote } = await stage(t);
  await git(work, ['commit', '-q', '--amend', '-m', 'begin anew']);
  const amended = await git(work, ['rev-parse', 'HEAD']);
  assert.match((await tryGit(work, ['push', 'origin', 'main'])).stderr, /non-fast-forward/);
  await git(work, ['push', '-q', '--force', 'origin', 'main']);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${amended}`]);
});

test('--force-with-lease does not overwrite commits that another user has pushed since', async (t) => {
  const { work, remote } = await stage(t);
  const other = join(await temporaryFolder(t), 'other');
  await git('.', ['clone', '-q', remote, other]);
  const theirs = await commitFile(other, 'theirs');
  await git(other, ['push', '-q', 'origin', 'main']);
  await git(work, ['commit', '-q', '--amend', '-m', 'begin anew']);
  const refused = await tryGit(work, ['push', '--force-with-lease', 'origin', 'main']);
  assert.match(refused.stderr, /stale info/);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${theirs}`]);
  await git(work, ['push', '-q', `--force-with-lease=main:${theirs}`, 'origin', 'main']);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${await git(work, ['rev-parse', 'HEAD'])}`]);
});

test('push options are accepted and have no effect', async (t) => {
  const { forge, ada, work, remote } = await stage(t);
  const settings = async () => {
    const { body } = await ada.get('/api/v1/repos/ada/engine');
    const { updated_at: _, size: __, language: ___, ...rest } = body;
    return rest;
  };
  const pushEvents = () => eventsOf(forge.forge.running.engines.database, 'refs.changed');
  const [before, [first]] = [await settings(), await pushEvents()];
  const tip = await commitFile(work, 'one');
  const options = ['repo.private=true', 'repo.template=true', 'x;y=z w'].flatMap((option) => ['-o', option]);

  await git(work, ['push', '-q', ...options, 'origin', 'main']);

  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`]);
  assert.deepEqual(await settings(), before);
  const [, second, ...more] = await pushEvents();
  assert.deepEqual(Object.keys(second ?? {}), Object.keys(first ?? {}));
  assert.deepEqual(more, []);
});

test('a shallow clone can push commits on top of the existing history', async (t) => {
  const { work, remote } = await stage(t);
  await commitFile(work, 'one');
  await git(work, ['push', '-q', 'origin', 'main']);
  const shallow = join(await temporaryFolder(t), 'shallow');
  await git('.', ['clone', '-q', '--depth', '1', remote, shallow]);
  const tip = await commitFile(shallow, 'two');
  await git(shallow, ['push', '-q', 'origin', 'main']);
  const whole = join(await temporaryFolder(t), 'whole');
  await git('.', ['clone', '-q', remote, whole]);
  assert.equal(await git(whole, ['rev-parse', 'HEAD']), tip);
  assert.equal(await git(whole, ['rev-list', '--count', 'HEAD']), '3');
  await git(whole, ['fsck', '--strict']);
});

test('a push from a shallow clone is rejected with its reason if the server does not have the older history', async (t) => {
  const { work, ada, remote } = await stage(t);
  await commitFile(work, 'one');
  await git(work, ['push', '-q', 'origin', 'main']);
  const shallow = join(await temporaryFolder(t), 'shallow');
  await git('.', ['clone', '-q', '--depth', '1', remote, shallow]);
  await ada.repository('other');
  const refused = await tryGit(shallow, ['push', ada.remote('ada/other'), 'main']);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /\[remote rejected\] main -> main \(shallow update not allowed/);
  assert.deepEqual(await refsOf(shallow, ada.remote('ada/other')), []);
});

test('the first pushed branch becomes the default if the configured one does not exist', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const created = await ada.repository('engine');
  assert.equal(created.empty, true);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', ada.remote('ada/engine'), copy]);
  await git(copy, ['checkout', '-q', '-b', 'trunk']);
  const tip = await commitFile(copy, 'one');
  await git(copy, ['push', '-q', 'origin', 'trunk']);
  const record = await ada.get('/api/v1/repos/ada/engine');
  assert.deepEqual(
    { branch: record.body.default_branch, empty: record.body.empty },
    { branch: 'trunk', empty: false },
  );
  const listed = await git(copy, ['ls-remote', '--symref', 'origin', 'HEAD']);
  assert.equal(listed, `ref: refs/heads/trunk\tHEAD\n${tip}\tHEAD`);
});

test('a repository with a tag but no branch is still empty', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  await commitFile(work, 'one');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'HEAD:refs/tags/v1']);
  const record = await ada.get('/api/v1/repos/ada/engine');
  assert.deepEqual(
    { branch: record.body.default_branch, empty: record.body.empty },
    { branch: 'main', empty: true },
  );
});

test("the client shows the server's progress messages with the prefix remote, but not with --quiet", async (t) => {
  const { work } = await stage(t);
  const lines = Array.from({ length: 2_000 }, (_, number) => `${number * 7919}\n`);
  const grow = async (name: string) => {
    // git sends the second version as a delta of the first.
    for (const text of [lines.join(''), [...lines, 'more\n'].join('')]) {
      await writeFile(join(work, name), text);
      await commitAll(work, name);
    }
  };
  await grow('one');
  const loud = await tryGit(work, ['push', '--progress', 'origin', 'main']);
  assert.match(loud.stderr, /^remote: Resolving deltas: +100%/m);
  await grow('two');
  const quiet = await tryGit(work, ['push', '-q', 'origin', 'main']);
  assert.deepEqual(quiet, { exitCode: 0, stdout: '', stderr: '' });
});

for (const version of [0, 1, 2]) {
  test(`a push by a client that prefers protocol ${version} arrives`, async (t) => {
    const { work, remote } = await stage(t);
    const tip = await commitFile(work, 'one');
    await git(work, ['-c', `protocol.version=${version}`, 'push', '-q', 'origin', 'main']);
    assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`]);
  });
}

test("a push larger than the client's buffer is accepted in chunks after a probe", async (t) => {
  const { work, remote } = await stage(t);
  await writeFile(join(work, 'large'), Array.from({ length: 60_000 }, (_, n) => `${n * 7919}\n`).join(''));
  const tip = await commitAll(work, 'large');
  const pushed = await tryGit(work, ['-c', 'http.postBuffer=65536', 'push', 'origin', 'main'], {
    environment: { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
  });
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  assert.match(pushed.stderr, /Send header: Content-Length: 4\s/);
  assert.match(pushed.stderr, /Send header: Transfer-Encoding: chunked/);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${tip}`]);
});

test('a repository with SHA-256 objects accepts a SHA-256 push and rejects a SHA-1 push', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { object_format_name: 'sha256' });
  const work = await workingCopy(t, { objectFormat: 'sha256' });
  const tip = await commitFile(work, 'one');
  assert.equal(tip.length, 64);
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', ada.remote('ada/engine'), copy]);
  assert.equal(await git(copy, ['rev-parse', 'HEAD']), tip);
  const short = await workingCopy(t);
  await commitFile(short, 'one');
  const refused = await tryGit(short, ['push', ada.remote('ada/engine'), 'main:other']);
  assert.notEqual(refused.exitCode, 0);
  assert.match(
    refused.stderr,
    /the receiving end does not support this repository's hash algorithm|mismatched algorithms/,
  );
});
