import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { generateKey } from 'openpgp';
import { decodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { OpenPgpEngine } from '../../../src/code/keys/openpgp/engine.ts';
import { readSignatureFacts } from '../../../src/code/keys/openpgp/signature-packet.ts';
import { isValidSshSignature, parseSshSignature } from '../../../src/code/keys/ssh/signature.ts';
import { UnusableKeyError } from '../../../src/code/keys/unusable-key.ts';
import { signatureDigest } from '../../../src/code/signing/digest.ts';
import type { SigningKey } from '../../../src/code/signing/model.ts';
import { readFormerKey, readSigningKey } from '../../../src/code/signing/read-keys.ts';
import { CommitSigning } from '../../../src/code/signing/service.ts';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { newGnupg, newGnupgKey } from '../../support/keys/gnupg.ts';
import { newEcdsa } from '../../support/keys/ssh-keys.ts';
import { isInstalled } from '../../support/tools.ts';
import { newOpenPgpFile, newSshPair, run } from './server-keys.ts';

// Runs once: no outcome depends on the database.

// Keys in every form that operators have, whose signatures other programs verify.

const PAYLOAD = Buffer.from('tree 1\n\nSubject\n');

function engineFor(t: TestContext): OpenPgpEngine {
  const openPgp = new OpenPgpEngine();
  afterTest(t, () => openPgp.close());
  return openPgp;
}

function pemOf({ privateKey }: { readonly privateKey: KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Of generated keys: one that expires after a second has expired. */
const AGE_MS = 10_000;

/** Generates a key with the library. */
function generated(
  options: { type?: 'ecc' | 'curve25519' | 'curve448'; isOfVersion6?: true; expiresAfter?: number } = {},
) {
  return generateKey({
    userIDs: [{ name: 'Server', email: 'server@example.org' }],
    type: options.type ?? 'ecc',
    date: new Date(Date.now() - AGE_MS),
    format: 'armored',
    keyExpirationTime: options.expiresAfter ?? 0,
    ...(options.isOfVersion6 ? { config: { v6Keys: true } } : {}),
  });
}

async function read(t: TestContext, file: string, passphrase = ''): Promise<SigningKey> {
  return readSigningKey(await readFile(file, 'utf8'), { passphrase, openPgp: engineFor(t) });
}

/** Requires that ssh-keygen finds a signature to be by the key. */
async function requireValidSsh(t: TestContext, key: SigningKey): Promise<void> {
  const folder = await temporaryFolder(t);
  const [signature, signers] = [join(folder, 'sig'), join(folder, 'signers')];
  await writeFile(signature, await key.sign(PAYLOAD));
  await writeFile(signers, `quire ${key.text}`);
  const ended = run('ssh-keygen', [
    '-Y',
    'verify',
    '-n',
    'git',
    '-I',
    'quire',
    '-f',
    signers,
    '-s',
    signature,
  ]);
  ended.child.stdin?.end(PAYLOAD);
  assert.match((await ended).stdout, /^Good "git" signature/);
}

/** Requires that gpg finds a signature to be by the key. */
async function requireValidOpenPgp(t: TestContext, key: SigningKey): Promise<void> {
  const folder = await temporaryFolder(t);
  const [signature, payload, certificate] = ['sig', 'payload', 'key'].map((name) => join(folder, name));
  const { gpg } = await newGnupg(t);
  await writeFile(certificate ?? '', key.text);
  await gpg('--import', certificate ?? '');
  await writeFile(payload ?? '', PAYLOAD);
  await writeFile(signature ?? '', await key.sign(PAYLOAD));
  const status = await gpg('--status-fd', '1', '--verify', signature ?? '', payload ?? '');
  assert.match(status, /\[GNUPG:\] VALIDSIG /);
}

for (const [type, bits] of [
  ['ed25519', ''],
  ['rsa', '2048'],
  ['rsa', '4096'],
  ['ecdsa', '256'],
  ['ecdsa', '384'],
  ['ecdsa', '521'],
] as const) {
  test(`ssh-keygen verifies signatures by an ${type} key ${bits} in each of its forms`, async (t) => {
    if (!(await isInstalled('ssh-keygen')))
      return t.skip('ssh-keygen is not installed: apt-get install openssh-client');
    const file = join(await temporaryFolder(t), 'id');
    const size = bits === '' ? [] : ['-b', bits];
    await run('ssh-keygen', ['-q', '-t', type, ...size, '-N', '', '-C', 'server', '-f', file]);
    const key = await read(t, file);
    assert.equal(key.text.trim(), (await readFile(`${file}.pub`, 'utf8')).replace(' server', '').trim());
    await requireValidSsh(t, key);
    assert.deepEqual(await readFormerKey(key.text, engineFor(t)), {
      kind: 'ssh',
      names: key.names,
      text: key.text,
      content: key.content,
    });
    if (type === 'ed25519') return;
    for (const [form, passphrase] of [
      ['PEM', ''],
      ['PEM', 'secret'],
      ['PKCS8', ''],
      ['PKCS8', 'secret'],
    ] as const) {
      const copy = `${file}.${form}.${passphrase}`;
      await writeFile(copy, await readFile(file), { mode: 0o600 });
      await run('ssh-keygen', ['-q', '-p', '-m', form, '-P', '', '-N', passphrase, '-f', copy]);
      const other = await read(t, copy, passphrase);
      assert.equal(other.text, key.text);
      await requireValidSsh(t, other);
      if (passphrase === '') continue;
      await assert.rejects(read(t, copy), /^ForgeError: Invalid key content: it has a passphrase$/);
      await assert.rejects(read(t, copy, 'other'), /: the passphrase is wrong$/);
    }
  });
}

for (const algorithm of ['ed25519', 'rsa2048', 'rsa4096', 'nistp256', 'nistp384', 'nistp521']) {
  test(`gpg verifies signatures by an ${algorithm} key of GnuPG`, async (t) => {
    if (!(await isInstalled('gpg'))) return t.skip('gpg is not installed: apt-get install gnupg');
    const pair = await newOpenPgpFile(t, algorithm);
    const key = await read(t, pair.file);
    assert.deepEqual(key.names, [pair.name]);
    await requireValidOpenPgp(t, key);
    const { keyId } = readSignatureFacts(
      decodeArmor(await key.sign(PAYLOAD), 'PGP SIGNATURE') ?? Buffer.alloc(0),
    );
    assert.equal(keyId, pair.name);
    const former = await readFormerKey(await readFile(pair.publicFile, 'utf8'), engineFor(t));
    assert.deepEqual([former.names, former.kind], [key.names, 'openpgp']);
  });
}

test('an OpenPGP key may have a passphrase, and a subkey that signs instead of a primary key that is elsewhere', async (t) => {
  if (!(await isInstalled('gpg'))) return t.skip('gpg is not installed: apt-get install gnupg');
  const passphrase = 'correct horse';
  const { gpg, secret } = await newGnupgKey(t, { algorithm: 'rsa2048', passphrase });
  const folder = await temporaryFolder(t);
  const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(await gpg('--list-keys', '--with-colons'))?.[1] ?? '';
  await secret('--quick-add-key', fingerprint, 'ed25519', 'sign', '1d');
  const [whole, subkeys] = [join(folder, 'whole'), join(folder, 'subkeys')];
  await writeFile(whole, await secret('--export-secret-keys'));
  await writeFile(subkeys, await secret('--export-secret-subkeys'));
  for (const file of [whole, subkeys]) {
    const key = await read(t, file, passphrase);
    assert.equal(key.names.length, 2);
    assert.equal(key.names[0], fingerprint.slice(-16));
    await requireValidOpenPgp(t, key);
    const { keyId } = readSignatureFacts(
      decodeArmor(await key.sign(PAYLOAD), 'PGP SIGNATURE') ?? Buffer.alloc(0),
    );
    assert.equal(keyId, key.names[1]);
    await assert.rejects(read(t, file), /^ForgeError: Invalid key content: it has a passphrase$/);
    await assert.rejects(read(t, file, 'other'), /: the passphrase is wrong$/);
  }
});

test('an OpenPGP key in the newer form of Ed25519 signs, and the library verifies it', async (t) => {
  const { privateKey } = await generated({ type: 'curve25519' });
  // Reading verifies one signature.
  const key = await readSigningKey(privateKey, { passphrase: '', openPgp: engineFor(t) });
  assert.equal(key.kind, 'openpgp');
});

test('the server takes its own signatures for verified only until its key expires', async (t) => {
  const { privateKey } = await generated({ expiresAfter: 3_600 });
  const key = await readSigningKey(privateKey, { passphrase: '', openPgp: engineFor(t) });
  const { expiresAt } = key;
  assert.ok(expiresAt !== null && Math.abs(expiresAt - Date.now() - 3_600_000) < 60_000, `${expiresAt}`);
  const signer = { name: 'Quire', email: 'quire@example.org' };
  for (const [end, isTaken] of [
    [null, true],
    [expiresAt, true],
    [Date.now() - 1, false],
  ] as const) {
    const signing = new CommitSigning({ signer, key: { ...key, expiresAt: end }, formerKeys: [] });
    const text = (await signing.signCommit?.(PAYLOAD)) ?? '';
    assert.equal(signing.hasMade(signatureDigest({ text, payload: PAYLOAD })), isTaken);
    assert.equal(signing.hasMade(signatureDigest({ text, payload: Buffer.from('other') })), false);
  }
});

test('every signature has the numbers of its key without zero bytes in front', async (t) => {
  const openPgp = engineFor(t);
  const { privateKey } = await generated();
  const key = await readSigningKey(privateKey, { passphrase: '', openPgp });
  const pem = newEcdsa('nistp256').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const ssh = await readSigningKey(`${pem}`, { passphrase: '', openPgp });
  // One number in 256 begins with a zero byte.
  for (let count = 0; count < 600; count += 1) {
    const payload = Buffer.from(`${count}`);
    const signature = decodeArmor(await key.sign(payload), 'PGP SIGNATURE') ?? Buffer.alloc(0);
    assert.equal(await openPgp.isValid({ key: key.content, signature, payload }), true, `${count}`);
    const text = await ssh.sign(payload);
    assert.equal(await isValidSshSignature(parseSshSignature(text), payload), true, `${count}`);
  }
});

test('what cannot sign is rejected with a reason that repeats nothing of it', async (t) => {
  if (!(await isInstalled('gpg')) || !(await isInstalled('ssh-keygen')))
    return t.skip('needs gpg and ssh-keygen: apt-get install gnupg openssh-client');
  const openPgp = engineFor(t);
  const ssh = await newSshPair(t);
  const folder = await temporaryFolder(t);
  const made = async (name: string, ...options: readonly string[]) => {
    const file = join(folder, name);
    await run('ssh-keygen', ['-q', '-C', '', '-f', file, ...options]);
    return readFile(file, 'utf8');
  };
  const text = await readFile(ssh.file, 'utf8');
  const expired = await generated({ expiresAfter: 1 });
  const version6 = await generated({ type: 'curve25519', isOfVersion6: true });
  const ed448 = await generated({ type: 'curve448' });
  const several = (await newOpenPgpFile(t)).file;
  const cases: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /^it is not a private key$/],
    ['hello', /^it is not a private key$/],
    [await readFile(ssh.publicFile, 'utf8'), /^it is a public key: the server needs the private one$/],
    [expired.publicKey, /^it is a public key/],
    [expired.privateKey, /^no part of it may sign: it is expired/],
    [version6.privateKey, /^it must be a key of version 4$/],
    [await readFile((await newOpenPgpFile(t, 'dsa2048')).file, 'utf8'), /^no part of it may sign/],
    [ed448.privateKey, /^it is not an RSA, Ed25519, or ECDSA key on a NIST curve$/],
    [`${expired.privateKey}\n${await readFile(several, 'utf8')}`, /^it must be exactly one key$/],
    [text.slice(0, -60), /^it is not a private key$/],
    [text.replace(/\n.{40}/, '\n'), /^it /],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', /^it cannot be read$/],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n-----END PGP PRIVATE KEY BLOCK-----',
      /^it cannot be read as an OpenPGP private key$/,
    ],
    [await made('locked', '-t', 'ed25519', '-N', 'secret'), /^it has a passphrase, which "ssh-keygen -p/],
    [await made('small', '-t', 'rsa', '-b', '1024', '-N', ''), /^an RSA key needs at least 2048 bits/],
    ...[
      generateKeyPairSync('ed448'),
      generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }),
      generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }),
    ].map((pair) => [pemOf(pair), /^it is not an RSA, Ed25519, or ECDSA key on a NIST curve$/] as const),
  ];
  for (const [content, why] of cases) {
    await assert.rejects(readSigningKey(content, { passphrase: '', openPgp }), (error) => {
      assert.ok(error instanceof UnusableKeyError, String(error));
      assert.match(error.why, why);
      assert.ok(error.why.length < 150, error.why);
      assert.equal(error.needs, undefined);
      return true;
    });
  }
});
