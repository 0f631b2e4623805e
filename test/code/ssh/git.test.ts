import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { commitFile, gitOverSsh, gitWithKey, portOf, ssh, startEngine } from './ssh-stage.ts';

test('ssh without a command greets the user of the key', async (t) => {
  const { forge, key } = await startEngine(t);
  const greeted = await ssh(forge, key, ['-T']);
  assert.match(
    greeted.stdout,
    /^Hi there, ada! You've successfully authenticated with the key named key .*, but Quire does not provide shell access\.\n$/,
  );
  assert.equal(greeted.code, 0);
});

for (const version of [0, 1, 2]) {
  test(`a push and a clone over SSH transfer a repository, with protocol version ${version}`, async (t) => {
    const { key, work, remote } = await startEngine(t);
    const use = ['-c', `protocol.version=${version}`];
    const pushed = await gitWithKey(work, key, [...use, 'push', '-q', 'origin', 'main']);
    assert.equal(pushed.exitCode, 0, pushed.stderr);
    const folder = await temporaryFolder(t);
    const cloned = await gitWithKey(folder, key, [...use, 'clone', '-q', remote, 'copy']);
    assert.equal(cloned.exitCode, 0, cloned.stderr);
    const copy = join(folder, 'copy');
    assert.equal(await git(copy, ['rev-parse', 'HEAD']), await git(work, ['rev-parse', 'HEAD']));
    await commitFile(work, 'more');
    assert.equal((await gitWithKey(work, key, [...use, 'push', '-q', 'origin', 'main'])).exitCode, 0);
    const pulled = await gitWithKey(copy, key, [...use, 'pull', '-q']);
    assert.equal(pulled.exitCode, 0, pulled.stderr);
    assert.equal(await git(copy, ['rev-parse', 'HEAD']), await git(work, ['rev-parse', 'HEAD']));
  });
}

test('fifty clones at once all succeed', async (t) => {
  const { key, work, remote } = await startEngine(t);
  assert.equal((await gitWithKey(work, key, ['push', '-q', 'origin', 'main'])).exitCode, 0);
  const folder = await temporaryFolder(t);
  const clones = await Promise.all(
    Array.from({ length: 50 }, (_, number) =>
      gitWithKey(folder, key, ['clone', '-q', remote, `copy-${number}`]),
    ),
  );
  assert.deepEqual(
    clones.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => stderr),
    [],
  );
});

test('paths may have a slash before them, and need not end with .git', async (t) => {
  const { forge, key } = await startEngine(t);
  const folder = await temporaryFolder(t);
  for (const path of ['ada/engine', 'ada/engine.git', 'ADA/Engine.git/', '/ada/engine.git']) {
    const environment = gitOverSsh(key, ['-p', `${portOf(forge)}`]);
    const listed = await tryGit(folder, ['ls-remote', `git@127.0.0.1:${path}`], { environment });
    assert.equal(listed.exitCode, 0, `${path}: ${listed.stderr}`);
  }
});

test('a push creates, moves and deletes refs, and a rejected ref leaves the others', async (t) => {
  const { ada, key, work } = await startEngine(t);
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main', 'main:refs/tags/one', 'main:refs/heads/old']);
  const deleted = await gitWithKey(work, key, ['push', '-q', 'origin', ':old']);
  assert.equal(deleted.exitCode, 0, deleted.stderr);
  const mixed = await gitWithKey(work, key, [
    'push',
    'origin',
    'main:refs/heads/fine',
    'main:refs/pull/1/head',
  ]);
  assert.notEqual(mixed.exitCode, 0);
  assert.match(mixed.stderr, /\[remote rejected\] main -> refs\/pull\/1\/head \(refs\/pull\/ is reserved\)/);
  const branches = await ada.get('/api/v1/repos/ada/engine/branches');
  assert.deepEqual(
    branches.body.map(({ name }: { name: string }) => name),
    ['fine', 'main'],
  );
});

test('the rules of protected branches apply', async (t) => {
  const { ada, key, work } = await startEngine(t);
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main']);
  await ada.post('/api/v1/repos/ada/engine/branch_protections', { rule_name: 'main', enable_push: false });
  await commitFile(work, 'more');
  const pushed = await gitWithKey(work, key, ['push', 'origin', 'main']);
  assert.notEqual(pushed.exitCode, 0);
  assert.match(pushed.stderr, /remote rejected.*protected/);
});

test('a push with options proposes a commit, and says where the pull request is', async (t) => {
  const { forge, key, work } = await startEngine(t);
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main']);
  await commitFile(work, 'idea');
  const pushed = await gitWithKey(work, key, [
    ...['push', '-o', 'topic=idea', '-o', 'title=My idea', 'origin', 'HEAD:refs/for/main'],
  ]);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  assert.match(pushed.stderr, new RegExp(`remote: .*${forge.url}/ada/engine/pulls/1`));
});

test('a shallow clone and a partial clone work', async (t) => {
  const { key, work, remote } = await startEngine(t);
  await commitFile(work, 'more');
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main']);
  const folder = await temporaryFolder(t);
  for (const [name, option] of [
    ['shallow', '--depth=1'],
    ['partial', '--filter=blob:none'],
  ] as const)
    for (const version of [0, 2]) {
      const use = ['-c', `protocol.version=${version}`];
      const cloned = await gitWithKey(folder, key, [
        ...use,
        'clone',
        '-q',
        option,
        remote,
        `${name}-${version}`,
      ]);
      assert.equal(cloned.exitCode, 0, cloned.stderr);
    }
  const count = await git(join(folder, 'shallow-0'), ['rev-list', '--count', 'HEAD']);
  assert.equal(count, '1');
});

test('git archive --remote gets the files of a branch or tag, or of a part of it', async (t) => {
  const { key, work, remote } = await startEngine(t);
  await commitFile(work, 'docs');
  await gitWithKey(work, key, ['push', '-q', 'origin', 'main', 'main:refs/tags/v1']);
  const folder = await temporaryFolder(t);
  const list = async (...args: string[]) => {
    const made = await gitWithKey(folder, key, ['archive', `--remote=${remote}`, '-o', 'out.tar', ...args]);
    assert.equal(made.exitCode, 0, made.stderr);
    return (await git(folder, ['-c', 'alias.tar=!tar -tf out.tar', 'tar'])).split('\n');
  };
  assert.deepEqual(await list('HEAD'), ['README.md', 'docs']);
  assert.deepEqual(await list('--prefix=engine/', 'v1', 'docs'), ['engine/', 'engine/docs']);
  const zipped = await gitWithKey(folder, key, [
    'archive',
    `--remote=${remote}`,
    '--format=zip',
    '-9',
    '-o',
    'a.zip',
    'main',
  ]);
  assert.equal(zipped.exitCode, 0, zipped.stderr);
  for (const [args, error] of [
    [['main~1'], /no such branch or tag: main~1/],
    [[await git(work, ['rev-parse', 'HEAD'])], /no such branch or tag/],
    [['--worktree-attributes', 'main'], /no option --worktree-attributes/],
    [['main', 'missing'], /the commit has no such file/],
  ] as const) {
    const refused = await gitWithKey(folder, key, ['archive', `--remote=${remote}`, ...args]);
    assert.notEqual(refused.exitCode, 0);
    assert.match(refused.stderr, error);
  }
});

test('a wiki is cloned and pushed', async (t) => {
  const { key, work, remote } = await startEngine(t);
  const wiki = remote.replace('.git', '.wiki.git');
  const pushed = await gitWithKey(work, key, ['push', '-q', wiki, 'main']);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  const cloned = await gitWithKey(await temporaryFolder(t), key, ['clone', '-q', wiki, 'wiki']);
  assert.equal(cloned.exitCode, 0, cloned.stderr);
});

test('a renamed repository is found by its old name, and the client sees the new one', async (t) => {
  const { ada, key, work } = await startEngine(t);
  await ada.patch('/api/v1/repos/ada/engine', { name: 'machine' });
  const pushed = await gitWithKey(work, key, ['push', 'origin', 'main']);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  assert.match(pushed.stderr, /This repository is now ada\/machine\./);
});
