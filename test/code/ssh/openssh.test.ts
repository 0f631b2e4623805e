// Runs once: the database has no part in how sshd signs clients in.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pktLine } from '../../../src/git/format/pkt-line.ts';
import { objectOf, storedFiles } from '../../hosting/lfs/objects.ts';
import { clone, largeFilesCopy, whyNoGitLfs } from '../../hosting/lfs/working-copies.ts';
import { startForge } from '../../support/forge/forge.ts';
import { freePort } from '../../support/free-port.ts';
import { commitAll, git, temporaryFolder, tryGit, workingCopy } from '../../support/git/git.ts';
import { run } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { newAuthority, whyNoKeygen } from './certificates.ts';
import {
  addKey,
  commitFile,
  gitOverSsh,
  gitOverSshWithout,
  type KeyFile,
  newKeyFile,
  runSsh,
  sshOptions,
} from './ssh-stage.ts';
import { requestOf } from './transfer-client.ts';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((path) => existsSync(path));

/** Why no sshd can run here; false if one can. */
function whyNoSshd(): string | false {
  if (SSHD === undefined) return "the system's sshd is not installed (openssh-server)";
  if (process.getuid?.() !== 0) return 'sshd runs programs for keys only as root';
  try {
    execFileSync('id', ['sshd'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there is no user sshd';
  }
}

const options = { skip: whyNoSshd() || whyNoKeygen };
const USER = userInfo().username;

/** Starts a forge and an sshd that serves it. */
async function stage(t: TestContext, settings: readonly string[] = []) {
  const port = await freePort();
  const forge = await startForge(t, {
    fresh: true,
    settings: { sshSocket: 'true', sshAddress: `git.example.org:${port}` },
  });
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const folder = await temporaryFolder(t);
  const hostKey = await newKeyFile(t);
  const ask = (command: string, ...tokens: string[]) => {
    const names = tokens.map((_, index) => `"$${index + 1}"`).join(' ');
    const words = [process.execPath, PROGRAM, 'ssh', command, '--data', forge.forge.dataFolder];
    return `/bin/sh -c 'exec ${words.join(' ')} ${names}' sh ${tokens.join(' ')}`;
  };
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey.path}`,
    'PidFile none',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'AuthorizedKeysFile none',
    // Before AuthorizedKeysCommand, because OpenSSH 9.3 and older ignore it after that.
    `AuthorizedPrincipalsCommand ${ask('principals', '%k')}`,
    `AuthorizedPrincipalsCommandUser ${USER}`,
    `AuthorizedKeysCommand ${ask('keys', '%t', '%k')}`,
    `AuthorizedKeysCommandUser ${USER}`,
    'AcceptEnv GIT_PROTOCOL',
    ...settings,
  ];
  const file = join(folder, 'sshd_config');
  await writeFile(file, `${config.join('\n')}\n`);
  if (!existsSync('/run/sshd')) execFileSync('mkdir', ['-p', '-m', '755', '/run/sshd']);
  const sshd = run(t, SSHD ?? '', ['-D', '-e', '-f', file]);
  await until(() => isListening(port));
  const remote = `ssh://${USER}@127.0.0.1:${port}/ada/engine.git`;
  const login = (key: KeyFile, ...args: string[]) =>
    runSsh([...sshOptions(key), '-p', `${port}`, `${USER}@127.0.0.1`, ...args]);
  return { forge, ada, remote, login, sshd, port };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

test("the system's OpenSSH serves pushes, fetches and archives", options, async (t) => {
  const { ada, remote, login, sshd } = await stage(t);
  const key = await addKey(t, ada);
  const greeted = await login(key, '-T');
  assert.match(greeted.stdout, /^Hi there, ada! You've successfully authenticated/, sshd.output());
  const work = await workingCopy(t);
  const tip = await commitFile(work, 'README.md');
  const environment = gitOverSsh(key, ['-o', 'SendEnv=GIT_PROTOCOL']);
  const push = ['push', '-o', 'topic=x', remote, 'HEAD:main'];
  const pushed = await tryGit(work, push, { environment });
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  const folder = await temporaryFolder(t);
  for (const version of [0, 2]) {
    const clone = ['-c', `protocol.version=${version}`, 'clone', '-q', remote, `copy-${version}`];
    const cloned = await tryGit(folder, clone, { environment });
    assert.equal(cloned.exitCode, 0, cloned.stderr);
    assert.equal(await git(join(folder, `copy-${version}`), ['rev-parse', 'HEAD']), tip);
  }
  const archived = await tryGit(folder, ['archive', `--remote=${remote}`, '-o', 'a.tar', 'main'], {
    environment,
  });
  assert.equal(archived.exitCode, 0, archived.stderr);
  const { ssh_url: address } = (await ada.get('/api/v1/repos/ada/engine')).body;
  assert.match(address, /^ssh:\/\/git@git\.example\.org:\d+\/ada\/engine\.git$/);
});

test('sshd gives a client nothing but the commands of git', options, async (t) => {
  const { ada, login } = await stage(t);
  const key = await addKey(t, ada);
  const refused = await login(key, 'id');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /runs only the commands of git/);
  assert.match((await login(key, '-W', '127.0.0.1:1')).stderr, /prohibited|forwarding failed/);
  assert.match((await login(await newKeyFile(t), '-T')).stderr, /Permission denied/);
});

test('a deploy key works through sshd', options, async (t) => {
  const { ada, remote, login } = await stage(t);
  const key = await newKeyFile(t);
  await ada.post('/api/v1/repos/ada/engine/keys', { key: key.line, title: 'robot', read_only: false });
  assert.match((await login(key, '-T')).stdout, /the deploy key named robot/);
  const work = await workingCopy(t);
  await commitFile(work, 'README.md');
  const pushed = await tryGit(work, ['push', remote, 'HEAD:main'], { environment: gitOverSsh(key) });
  assert.equal(pushed.exitCode, 0, pushed.stderr);
});

test('git-lfs works through sshd without HTTP', { skip: options.skip || whyNoGitLfs }, async (t) => {
  const { forge, ada, remote, login, sshd } = await stage(t);
  const key = await addKey(t, ada);
  const environment = await gitOverSshWithout(t, key, 'git-lfs-authenticate');
  const folder = await largeFilesCopy(t);
  await git(folder, ['remote', 'add', 'origin', remote]);
  const content = randomBytes(3_000_000);
  await writeFile(join(folder, 'large.bin'), content);
  await commitAll(folder, 'Begin');
  await git(folder, ['push', '-q', 'origin', 'main'], { environment });
  assert.equal(storedFiles(forge, objectOf(content)).length, 1, sshd.output());
  const copy = await clone(t, remote, [], environment);
  await git(copy, ['lfs', 'pull'], { environment });
  assert.ok((await readFile(join(copy, 'large.bin'))).equals(content));
  await git(copy, ['lfs', 'lock', 'large.bin'], { environment });
  assert.match(await git(folder, ['lfs', 'locks'], { environment }), /^large\.bin\s+ada/);

  const reading = await newKeyFile(t);
  const body = { key: reading.line, title: 'reader', read_only: true };
  assert.equal((await ada.post('/api/v1/repos/ada/engine/keys', body)).status, 201);
  const denied = await login(reading, 'git-lfs-transfer ada/engine.git upload');
  assert.equal(denied.code, 1);
  assert.match(denied.stderr, /you may read this repository, but not upload to it/);
});

test('through sshd, a client that vanishes in the middle of an object leaves nothing', options, async (t) => {
  const { forge, ada, port } = await stage(t);
  const key = await addKey(t, ada);
  const { uploads } = forge.forge.running.services.largeFiles;
  const content = randomBytes(1_000);
  const { oid, size } = objectOf(content);
  const client = spawn('ssh', [
    ...sshOptions(key),
    ...['-p', `${port}`, `${USER}@127.0.0.1`, 'git-lfs-transfer ada/engine.git upload'],
  ]);
  client.stdin.write(Buffer.concat(requestOf(`put-object ${oid}`, [`size=${size}`], []).slice(0, -1)));
  client.stdin.write(pktLine(content.subarray(0, 500)));
  await until(() => uploads.running === 1);
  client.kill('SIGKILL');
  await until(() => uploads.running === 0);
  assert.deepEqual(storedFiles(forge, { oid, size }), []);
});

test('a certificate works through sshd', options, async (t) => {
  const authority = await newAuthority(t);
  const { login, sshd } = await stage(t, [`TrustedUserCAKeys ${authority.file}`]);
  assert.match(
    (await login(await authority.certify('ada'), '-T')).stdout,
    /^Hi there, ada! .* the key named laptop of ada,/,
    sshd.output(),
  );
  assert.match((await login(await authority.certify('nobody'), '-T')).stderr, /Permission denied/);
});

test('the socket is open to the account of the server only, and a stopped server is reported', async (t) => {
  const forge = await startForge(t, { fresh: true, settings: { sshSocket: 'true' } });
  const data = forge.forge.dataFolder;
  assert.equal(statSync(join(data, 'ssh.sock')).mode & 0o777, 0o600);
  const ask = async (...args: string[]) => {
    const asked = run(t, process.execPath, [PROGRAM, 'ssh', ...args, '--data', data]);
    const { code } = await asked.ended();
    return { code, output: asked.output() };
  };
  const ada = await forge.account('ada');
  const key = await addKey(t, ada);
  const [type = '', content = ''] = key.line.split(' ');
  const known = await ask('keys', type, content);
  const line = /^restrict,command="[^"]+ ssh serve --data [^"]+ --key \d+" ssh-ed25519 (\S+)\n$/;
  assert.equal(line.exec(known.output)?.[1], content, known.output);
  const unknown = (await newKeyFile(t)).line.split(' ')[1] ?? '';
  assert.deepEqual(await ask('keys', type, unknown), { code: 0, output: '' });
  assert.deepEqual(await ask('keys', type, '!'), { code: 0, output: '' });
  assert.deepEqual(await ask('principals', content), { code: 0, output: '' });
  await forge.forge.stop();
  await chmod(data, 0o700).catch(() => {});
  const stopped = await ask('keys', type, content);
  assert.equal(stopped.code, 1);
  assert.match(stopped.output, /no server answers at .*ssh\.sock: start it with --ssh-socket true/);
});
