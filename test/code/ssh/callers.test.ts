import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { objectOf, storedFiles } from '../../hosting/lfs/objects.ts';
import { largeFilesCopy, whyNoGitLfs } from '../../hosting/lfs/working-copies.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import {
  addKey,
  commitFile,
  exec,
  gitOverSsh,
  gitOverSshWithout,
  gitWithKey,
  type KeyFile,
  newKeyFile,
  signedIn,
  ssh,
  sshRemote,
  startEngine,
} from './ssh-stage.ts';

async function addDeployKey(
  person: Person,
  key: KeyFile,
  options: { path?: string; title?: string; readOnly?: boolean } = {},
): Promise<number> {
  const { path = 'ada/engine', title = 'robot', readOnly = false } = options;
  const body = { key: key.line, title, read_only: readOnly };
  const added = await person.post(`/api/v1/repos/${path}/keys`, body);
  assert.equal(added.status, 201, added.text);
  return added.body.id;
}

async function pushes(work: string, key: KeyFile): Promise<{ isPushed: boolean; stderr: string }> {
  await commitFile(work, `file-${Math.random()}`);
  const { exitCode, stderr } = await gitWithKey(work, key, ['push', 'origin', 'HEAD:main']);
  return { isPushed: exitCode === 0, stderr };
}

const LFS = ['-c', 'filter.lfs.process=git-lfs filter-process', '-c', 'filter.lfs.required=true'];
const options = { skip: whyNoGitLfs };

async function lists(t: TestContext, forge: TestForge, key: KeyFile, path = 'ada/engine') {
  return gitWithKey(await temporaryFolder(t), key, ['ls-remote', sshRemote(forge, path)]);
}

test('the rights of an account over SSH are those over HTTP', async (t) => {
  const { forge, ada, key, work } = await startEngine(t, {}, { private: true });
  assert.ok((await pushes(work, key)).isPushed);
  const bob = await forge.account('bob');
  const his = await addKey(t, bob);
  const hidden = await lists(t, forge, his);
  const missing = await lists(t, forge, his, 'ada/nothing');
  assert.equal(hidden.stderr, missing.stderr);
  assert.match(hidden.stderr, /^repository not found/);
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'read' });
  assert.equal((await lists(t, forge, his)).exitCode, 0);
  assert.match((await pushes(work, his)).stderr, /may not|permission|read/);
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  assert.ok((await pushes(work, his)).isPushed);
});

test('the pusher of a push over SSH is the account of the key', async (t) => {
  const { forge, work, key } = await startEngine(t);
  assert.ok((await pushes(work, key)).isPushed);
  await forge.forge.running.services.activityRecorder.catchUp();
  const feed = await forge.root.get('/api/v1/users/ada/activities/feeds');
  const commit = feed.body.find(({ op_type: type }: { op_type: string }) => type === 'commit_repo');
  assert.equal(commit?.act_user.login, 'ada');
});

test('a disabled account, and one that must change its password, are refused', async (t) => {
  const { forge, key } = await startEngine(t);
  await forge.root.patch('/api/v1/admin/users/ada', { active: true, must_change_password: true });
  const mustChange = await lists(t, forge, key);
  assert.match(mustChange.stderr, /^You must change your password/);
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: false, prohibit_login: true });
  const disabled = await lists(t, forge, key);
  assert.match(disabled.stderr, /^the account is disabled/);
  assert.match((await ssh(forge, key)).stderr, /^the account is disabled/);
});

test('a deleted key signs in no more', async (t) => {
  const { ada, forge, key } = await startEngine(t);
  const [{ id }] = (await ada.get('/api/v1/user/keys')).body;
  await ada.delete(`/api/v1/user/keys/${id}`);
  assert.match((await ssh(forge, key)).stderr, /Permission denied/);
});

test('A17: a deleted key runs no more commands on an open connection', async (t) => {
  const { ada, forge, key } = await startEngine(t);
  const client = await signedIn(t, forge, key);
  const command = "git-upload-pack '/ada/engine.git'";
  assert.equal((await exec(client, command)).code, 0);
  const [{ id }] = (await ada.get('/api/v1/user/keys')).body;
  await ada.delete(`/api/v1/user/keys/${id}`);
  const refused = await exec(client, command);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /this key was removed/);
});

test('one deploy key opens each of its repositories as that repository says', async (t) => {
  const { forge, ada, work } = await startEngine(t);
  await ada.repository('mill', { private: true });
  const key = await newKeyFile(t);
  await addDeployKey(ada, key, { readOnly: true });
  const id = await addDeployKey(ada, key, { path: 'ada/mill', readOnly: false });
  assert.equal((await pushes(work, key)).isPushed, false);
  const pushed = await gitWithKey(work, key, ['push', sshRemote(forge, 'ada/mill'), 'main']);
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  assert.equal(
    (await ssh(forge, key)).stdout,
    "Hi there! You've successfully authenticated with the deploy key named robot, but Quire does not provide shell access.\n",
  );
  await ada.delete(`/api/v1/repos/ada/mill/keys/${id}`);
  assert.match((await lists(t, forge, key, 'ada/mill')).stderr, /^repository not found/);
  assert.equal((await lists(t, forge, key)).exitCode, 0);
});

test('the actor of a push with a deploy key is the key', async (t) => {
  const { forge, ada, work } = await startEngine(t);
  const key = await newKeyFile(t);
  await addDeployKey(ada, key);
  assert.ok((await pushes(work, key)).isPushed);
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('events')
    .select(['kind', 'actor_kind', 'actor_id'])
    .where('actor_kind', '=', 'deploy-key')
    .execute();
  assert.ok(rows.length > 0);
  assert.ok(rows.every((row) => row.actor_id === null));
});

test('the last use of keys is recorded', async (t) => {
  const { forge, ada, key } = await startEngine(t);
  const other = await newKeyFile(t);
  await addDeployKey(ada, other);
  const { database } = forge.forge.running.engines;
  const used = async () => {
    const keys = await database.reader.selectFrom('ssh_keys').select(['last_used_at']).execute();
    const rows = await database.reader.selectFrom('deploy_keys').select(['last_used_at']).execute();
    return [...keys, ...rows].filter((row) => row.last_used_at !== null).length;
  };
  assert.equal(await used(), 0);
  await lists(t, forge, key);
  await lists(t, forge, other);
  await until(async () => (await used()) === 3);
});

for (const command of ['git-lfs-transfer', 'git-lfs-authenticate'] as const) {
  test(`git-lfs transfers files, and locks them, with a key and without ${command}`, options, async (t) => {
    const { forge, ada, key } = await startEngine(t, {}, { private: true });
    const environment = await gitOverSshWithout(t, key, command);
    const remote = sshRemote(forge, 'ada/engine');
    const folder = await largeFilesCopy(t);
    await git(folder, ['remote', 'add', 'origin', remote]);
    await writeFile(join(folder, 'large.bin'), 'large');
    await commitAll(folder, 'Begin');
    await git(folder, ['push', '-q', 'origin', 'main'], { environment });
    const parent = await temporaryFolder(t);
    await git(parent, [...LFS, 'clone', '-q', remote, 'copy'], { environment });
    assert.equal(await readFile(join(parent, 'copy', 'large.bin'), 'utf8'), 'large');
    await git(folder, ['lfs', 'lock', 'large.bin'], { environment });
    assert.match(await git(folder, ['lfs', 'locks'], { environment }), /large\.bin\s+ada/);
    await git(folder, ['lfs', 'unlock', 'large.bin'], { environment });
    assert.equal((await ada.get('/api/v1/repos/ada/engine/media/large.bin')).text, 'large');
  });

  test(`git-lfs transfers files with a deploy key and without ${command}`, options, async (t) => {
    const { forge, ada } = await startEngine(t, {}, { private: true });
    const remote = sshRemote(forge, 'ada/engine');
    const writing = await newKeyFile(t);
    const reading = await newKeyFile(t);
    await addDeployKey(ada, writing, { title: 'writer' });
    await addDeployKey(ada, reading, { title: 'reader', readOnly: true });
    const writer = { environment: await gitOverSshWithout(t, writing, command) };
    const reader = { environment: await gitOverSshWithout(t, reading, command) };
    const folder = await largeFilesCopy(t);
    await git(folder, ['remote', 'add', 'origin', remote]);
    await writeFile(join(folder, 'large.bin'), 'large');
    await commitAll(folder, 'Begin');
    const denied = await tryGit(folder, ['lfs', 'push', 'origin', 'main'], reader);
    assert.notEqual(denied.exitCode, 0);
    assert.deepEqual(storedFiles(forge, objectOf('large')), []);
    await git(folder, ['push', '-q', 'origin', 'main'], writer);
    const parent = await temporaryFolder(t);
    await git(parent, [...LFS, 'clone', '-q', remote, 'copy'], reader);
    assert.equal(await readFile(join(parent, 'copy', 'large.bin'), 'utf8'), 'large');
  });
}

test('a token of git-lfs-authenticate is for one repository and operation', async (t) => {
  const { forge, ada, key } = await startEngine(t, {}, { private: true });
  await ada.repository('other');
  const answer = async (operation: string) => {
    const { code, stdout, stderr } = await ssh(forge, key, [
      `git-lfs-authenticate ada/engine.git ${operation}`,
    ]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const download = await answer('download');
  const upload = await answer('upload');
  assert.equal(download.href, `${forge.url}/ada/engine.git/info/lfs`);
  assert.ok(download.expires_in > 0);
  const object = { oid: 'a'.repeat(64), size: 1 };
  const batch = async (path: string, header: Record<string, string>, operation: string) => {
    const type = 'application/vnd.git-lfs+json';
    const response = await fetch(`${forge.url}/${path}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { ...header, accept: type, 'content-type': type },
      body: JSON.stringify({ operation, objects: [object] }),
    });
    return response.status;
  };
  assert.equal(await batch('ada/engine', download.header, 'download'), 200);
  assert.equal(await batch('ada/engine', download.header, 'upload'), 403);
  assert.equal(await batch('ada/engine', upload.header, 'upload'), 200);
  assert.equal(await batch('ada/other', upload.header, 'upload'), 403);
  const api = await fetch(`${forge.url}/api/v1/user`, { headers: upload.header });
  assert.equal(api.status, 401);
  const [{ id }] = (await ada.get('/api/v1/user/keys')).body;
  await ada.delete(`/api/v1/user/keys/${id}`);
  assert.equal(await batch('ada/engine', upload.header, 'upload'), 401);
});

test('addresses of repositories say where SSH listens', async (t) => {
  const { forge, ada } = await startEngine(t);
  const record = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.equal(record.ssh_url, sshRemote(forge, 'ada/engine'));
  assert.equal(record.wiki_ssh_url, sshRemote(forge, 'ada/engine.wiki'));
  const page = await forge.get('/ada/engine');
  assert.match(
    page.text,
    new RegExp(`value="${sshRemote(forge, 'ada/engine')}.git"|value="${sshRemote(forge, 'ada/engine')}"`),
  );
});

test('the environment of the client has no effect but for the protocol', async (t) => {
  const { forge, key } = await startEngine(t);
  const environment = gitOverSsh(key, ['-o', 'SetEnv="GIT_DIR=/etc GIT_PROTOCOL=version=9"']);
  const folder = await temporaryFolder(t);
  const listed = await tryGit(folder, ['ls-remote', sshRemote(forge, 'ada/engine')], { environment });
  assert.equal(listed.exitCode, 0, listed.stderr);
});

test('addresses follow the setting, in the short form for port 22, and are empty without SSH', async (t) => {
  for (const [settings, address] of [
    [{ sshPort: '0', sshAddress: 'git.example.org' }, 'git@git.example.org:ada/engine.git'],
    [{ sshPort: '0', sshAddress: 'git.example.org:2222' }, 'ssh://git@git.example.org:2222/ada/engine.git'],
    [{ sshAddress: '[2001:db8::1]' }, 'git@[2001:db8::1]:ada/engine.git'],
    [{}, ''],
  ] as const) {
    const forge = await startForge(t, { settings });
    const ada = await forge.account('ada');
    const record = await ada.repository('engine');
    assert.equal(record.ssh_url, address);
  }
});
