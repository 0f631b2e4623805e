// Runs once: the database has no part in connections.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import ssh2 from 'ssh2';
import { encodeSshKey } from '../../../src/code/keys/ssh/public-key.ts';
import { encodeEd25519 } from '../../../src/code/ssh/keys/private-key-file.ts';
import { SSH_LIMITS } from '../../../src/code/ssh/limits.ts';
import { Strangers } from '../../../src/code/ssh/server/strangers.ts';
import { afterTest } from '../../support/after-test.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import {
  addKey,
  connectAs,
  type KeyFile,
  newKeyFile,
  portOf,
  signedIn,
  ssh,
  startSshForge,
} from './ssh-stage.ts';

async function stage(t: TestContext): Promise<{ forge: TestForge; key: KeyFile }> {
  const forge = await startSshForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return { forge, key: await addKey(t, ada) };
}

function rawConnection(t: TestContext, forge: TestForge): Socket {
  const socket = connect(portOf(forge), '127.0.0.1');
  socket.on('error', () => {});
  afterTest(t, () => void socket.destroy());
  return socket;
}

/** Sends a piece again and again, until the connection ends. */
function flood(socket: Socket, piece: Buffer): void {
  const send = () => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', send);
  send();
}

test('a key that the server does not know signs in for no one', async (t) => {
  const { forge } = await stage(t);
  const stranger = await ssh(forge, await newKeyFile(t));
  assert.equal(stranger.code, 255);
  assert.match(stranger.stderr, /Permission denied \(publickey\)/);
});

test('only the user git signs in, whatever the key', async (t) => {
  const { forge, key } = await stage(t);
  for (const username of ['ada', 'root', '']) {
    const { error } = await connectAs(t, forge, { username, privateKey: key.text });
    assert.match(error?.message ?? '', /authentication methods failed|closed|Invalid username/, username);
  }
});

test('no password signs in, and none is asked for', async (t) => {
  const { forge } = await stage(t);
  const { error } = await connectAs(t, forge, { password: 'secret' });
  assert.match(error?.message ?? '', /authentication methods failed/);
});

test('A17: a signature by another key is rejected', async (t) => {
  const { forge, key } = await stage(t);
  const other = ssh2.utils.parseKey((await newKeyFile(t)).text);
  const known = ssh2.utils.parseKey(key.text);
  assert.ok(!(other instanceof Error) && !(known instanceof Error));
  const agent = new (class extends ssh2.BaseAgent {
    override getIdentities(done: ssh2.IdentityCallback) {
      done(undefined, [known.getPublicSSH()]);
    }
    override sign(_key: unknown, data: Buffer, ...rest: unknown[]) {
      const done = rest.at(-1) as ssh2.SignCallback;
      done(undefined, other.sign(data) as Buffer);
    }
  })();
  const { error } = await connectAs(t, forge, { agent });
  assert.match(error?.message ?? '', /authentication methods failed/);
});

for (const [name, algorithms] of Object.entries({
  'a group with SHA-1': { kex: ['diffie-hellman-group14-sha1'] },
  'the group of 1024 bits': { kex: ['diffie-hellman-group1-sha1'] },
  'a group that costs much time': { kex: ['diffie-hellman-group18-sha512'] },
  'a CBC cipher': { cipher: ['aes128-cbc'] },
  'a MAC with SHA-1': { cipher: ['aes128-ctr'], hmac: ['hmac-sha1'] },
  'a MAC with MD5': { cipher: ['aes128-ctr'], hmac: ['hmac-md5'] },
  'a host key with SHA-1': { serverHostKey: ['ssh-rsa'] },
  compression: { compress: ['zlib'] },
})) {
  test(`the server refuses ${name}`, async (t) => {
    const { forge, key } = await stage(t);
    const { error } = await connectAs(t, forge, {
      privateKey: key.text,
      algorithms: algorithms as ssh2.Algorithms,
    });
    assert.match(error?.message ?? '', /no matching|closed|Handshake/i);
  });
}

for (const [name, algorithms] of Object.entries({
  'a Diffie-Hellman group': { kex: ['diffie-hellman-group14-sha256'] },
  ChaCha20: { cipher: ['chacha20-poly1305@openssh.com'] },
  'CTR with a MAC': { cipher: ['aes256-ctr'], hmac: ['hmac-sha2-512-etm@openssh.com'] },
  'an RSA host key': { serverHostKey: ['rsa-sha2-512'] },
})) {
  test(`the server accepts ${name}`, async (t) => {
    const { forge, key } = await stage(t);
    const { error } = await connectAs(t, forge, {
      privateKey: key.text,
      algorithms: algorithms as ssh2.Algorithms,
    });
    assert.equal(error, undefined);
  });
}

for (const type of ['ed25519', 'rsa', 'ecdsa'] as const) {
  test(`a key of type ${type} signs in`, async (t) => {
    const forge = await startSshForge(t);
    const key = await addKey(t, await forge.account('ada'), type);
    assert.match((await ssh(forge, key)).stdout, /^Hi there, ada!/);
  });
}

test('A17: terminals, forwarding, agents and subsystems are refused', async (t) => {
  const { forge, key } = await stage(t);
  const client = await signedIn(t, forge, key);
  const failure = (ask: (done: (error?: Error | null) => void) => unknown) =>
    new Promise<string>((resolve) => ask((error) => resolve(error?.message ?? 'granted')));
  assert.notEqual(await failure((done) => client.sftp(done)), 'granted');
  assert.notEqual(await failure((done) => client.subsys('other', done)), 'granted');
  assert.notEqual(await failure((done) => client.exec('git-upload-pack x', { pty: true }, done)), 'granted');
  assert.notEqual(await failure((done) => client.exec('git-upload-pack x', { x11: true }, done)), 'granted');
  assert.notEqual(
    await failure((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', 80, done)),
    'granted',
  );
  assert.notEqual(await failure((done) => client.forwardIn('127.0.0.1', 0, done)), 'granted');
  assert.notEqual(await failure((done) => client.openssh_forwardInStreamLocal('/tmp/x', done)), 'granted');
  const agent = await ssh(forge, key, ['-A', 'true']);
  assert.equal(agent.code, 1);
});

test('a command that is not one of git is refused', async (t) => {
  const { forge, key } = await stage(t);
  const commands = [
    'ls',
    'git-shell',
    "git-upload-pack 'ada/engine.git'; id",
    "git-upload-pack 'ada/engine.git' --exec=x",
    'git-upload-pack $(id)',
    "git-receive-pack 'a/b/c'",
    "git-upload-pack '../ada/engine'",
    'git-lfs-authenticate ada/engine delete',
  ];
  for (const command of commands) {
    const refused = await ssh(forge, key, [command]);
    assert.equal(refused.code, 1, command);
    assert.match(refused.stderr, /runs only the commands of git/, command);
    assert.equal(refused.stdout, '');
  }
});

test('a connection has a bounded number of sessions at once', async (t) => {
  const { forge, key } = await stage(t);
  const client = await signedIn(t, forge, key);
  const opened = await Promise.all(
    Array.from(
      { length: 1_000 },
      () =>
        new Promise<boolean>((resolve) =>
          client.exec("git-upload-pack 'ada/engine.git'", { env: { GIT_PROTOCOL: 'version=2' } }, (error) =>
            resolve(error === undefined),
          ),
        ),
    ),
  );
  const count = opened.filter(Boolean).length;
  assert.ok(count > 0 && count <= SSH_LIMITS.sessionsPerConnectionMax, `${count} sessions`);
});

test('a version line without an end closes the connection', async (t) => {
  const { forge } = await stage(t);
  const socket = rawConnection(t, forge);
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  flood(socket, Buffer.alloc(64 * 1024, 'x'));
  await closed;
  assert.ok(socket.bytesWritten < 16 * 1024 * 1024);
});

test('packets before a sign-in are bounded', async (t) => {
  const { forge } = await stage(t);
  const socket = rawConnection(t, forge);
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('SSH-2.0-flood\r\n');
  // Messages that the server ignores.
  const ignore = Buffer.alloc(4 + 1 + 1_000 + 6);
  ignore.writeUInt32BE(ignore.length - 4);
  ignore.writeUInt8(6, 4);
  ignore.writeUInt8(2, 5);
  ignore.writeUInt32BE(996, 6);
  socket.resume();
  flood(socket, ignore);
  await closed;
});

test('a network has a bounded number of connections that have not signed in', async (t) => {
  const { forge } = await stage(t);
  const sockets = Array.from({ length: SSH_LIMITS.strangersPerNetworkMax + 10 }, () =>
    rawConnection(t, forge),
  );
  for (const socket of sockets) socket.resume();
  await until(() => sockets.filter((socket) => socket.closed).length >= 10);
  assert.equal(sockets.filter((socket) => !socket.closed).length, SSH_LIMITS.strangersPerNetworkMax);
});

test('a network opens a bounded number of connections in a time, even if each ends at once', () => {
  const strangers = new Strangers();
  const open = (address: string) => {
    const leave = strangers.add(address, { end: () => {} });
    leave?.();
    return leave !== undefined;
  };
  const opened = Array.from({ length: SSH_LIMITS.handshakesPerNetworkMax + 100 }, () => open('192.0.2.1'));
  assert.equal(opened[SSH_LIMITS.handshakesPerNetworkMax - 1], true);
  assert.equal(opened.at(-1), false);
  assert.equal(open('192.0.2.2'), true);
});

test('a connection that does not sign in ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { forge } = await stage(t);
  const socket = rawConnection(t, forge);
  const [greeting] = await once(socket, 'data');
  assert.match(`${greeting}`, /^SSH-2\.0-quire/);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  t.mock.timers.tick(SSH_LIMITS.sshSignInMs);
  await closed;
});

test('a connection may offer many keys, but not any number', async (t) => {
  const { forge } = await stage(t);
  const pair = () => encodeEd25519(generateKeyPairSync('ed25519').privateKey);
  let offered = 0;
  const { error } = await connectAs(t, forge, {
    authHandler: (_left, _partial, next) => {
      offered += 1;
      next({ type: 'publickey', username: 'git', key: pair() });
    },
  });
  assert.notEqual(error, undefined);
  assert.ok(offered >= SSH_LIMITS.attemptsPerConnectionMax, `${offered} attempts`);
  assert.ok(offered <= SSH_LIMITS.attemptsPerConnectionMax + 2, `${offered} attempts`);
});

test('every private key that the server makes can be read', () => {
  for (let count = 0; count < 500; count += 1) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const parsed = ssh2.utils.parseKey(encodeEd25519(privateKey));
    assert.ok(!(parsed instanceof Error), String(parsed));
    assert.deepEqual(parsed.getPublicSSH(), encodeSshKey(privateKey).blob);
  }
});

test('the host keys stay the same after a restart', async (t) => {
  const { forge } = await stage(t);
  const { database, sealer } = forge.forge.running.engines;
  const { openHostKeys } = await import('../../../src/code/ssh/keys/host-keys.ts');
  const [first, second] = await Promise.all([
    openHostKeys({ database, sealer }),
    openHostKeys({ database, sealer }),
  ]);
  assert.deepEqual(first, second);
  assert.equal(first.length, 2);
});
