import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { MalformedKeyError } from '../../../src/code/keys/byte-reader.ts';
import { KEY_LIMITS } from '../../../src/code/keys/limits.ts';
import { isValidSshSignature, parseSshSignature } from '../../../src/code/keys/ssh/signature.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import {
  allKinds,
  armorSsh,
  newEd25519,
  newRsa,
  newTokenEd25519,
  type SshPair,
  signSsh,
} from '../../support/keys/ssh-keys.ts';
import { isInstalled } from '../../support/tools.ts';

// Runs once: no outcome depends on the database.

const PAYLOAD = 'tree 1\n\nSubject\n';
const KINDS = allKinds();

async function verdict(text: string, payload = PAYLOAD): Promise<boolean | 'malformed'> {
  try {
    return await isValidSshSignature(parseSshSignature(text), Buffer.from(payload));
  } catch (error) {
    assert.ok(error instanceof MalformedKeyError, String(error));
    return 'malformed';
  }
}

const blobOf = (text: string) => Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64');

test('signatures by keys of every kind are valid for their payload only', async () => {
  for (const pair of KINDS) {
    for (const hash of ['sha256', 'sha512'] as const) {
      const text = signSsh(pair, PAYLOAD, { hash });
      assert.equal(await verdict(text), true, pair.type);
      assert.equal(await verdict(text, `${PAYLOAD} `), false, pair.type);
    }
  }
  const [rsa] = KINDS.filter(({ type }) => type === 'ssh-rsa');
  assert.equal(await verdict(signSsh(rsa as SshPair, PAYLOAD, { algorithm: 'rsa-sha2-256' })), true);
});

test('ssh-keygen agrees that signatures by keys of every kind are valid', async (t) => {
  if (!(await isInstalled('ssh-keygen')))
    return t.skip('ssh-keygen is not installed: apt-get install openssh-client');
  const folder = await temporaryFolder(t);
  for (const [index, pair] of KINDS.entries()) {
    const file = join(folder, `${index}.sig`);
    await writeFile(file, signSsh(pair, PAYLOAD));
    const args = ['-Y', 'check-novalidate', '-n', 'git', '-s', file];
    const run = promisify(execFile)('ssh-keygen', args);
    run.child.stdin?.end(PAYLOAD);
    assert.match((await run).stdout, /Good "git" signature/, pair.type);
  }
});

test('signatures for another purpose, with SHA-1, by a weak key or without a touch of the token are not valid', async () => {
  const pair = newEd25519();
  assert.equal(await verdict(signSsh(pair, PAYLOAD, { namespace: 'file' })), 'malformed');
  assert.equal(await verdict(signSsh(newRsa(1024), PAYLOAD)), 'malformed');
  const rsa = newRsa();
  const named = blobOf(signSsh(rsa, PAYLOAD)).toString('latin1').replace('rsa-sha2-512', 'rsa-sha1-xxx');
  assert.equal(await verdict(armorSsh(Buffer.from(named, 'latin1'))), false);
  assert.equal(await verdict(signSsh(newTokenEd25519(), PAYLOAD, { flags: 0 })), false);
  assert.equal(await verdict(signSsh(newTokenEd25519(), PAYLOAD, { flags: 5 })), true);
});

test('a truncated signature, extra bytes and other armor are malformed', async () => {
  const text = signSsh(newEd25519(), PAYLOAD);
  const blob = blobOf(text);
  for (let length = 0; length < blob.length; length += 1)
    assert.equal(await verdict(armorSsh(blob.subarray(0, length))), 'malformed', String(length));
  for (const other of [
    '',
    'nonsense',
    armorSsh(Buffer.concat([blob, Buffer.of(0)])),
    text.replace('BEGIN SSH', 'BEGIN PGP'),
    text.replace('\n', '\n\nComment: x\n'),
    text + text,
    `x${text}`,
    text.replace('U1NI', 'U1N!'),
    `-----BEGIN SSH SIGNATURE-----\n${'A'.repeat(KEY_LIMITS.signatureCharsMax)}\n-----END SSH SIGNATURE-----\n`,
  ])
    assert.equal(await verdict(other), 'malformed', other.slice(0, 60));
});

test('a signature with any changed byte is not valid', async () => {
  const signatures = KINDS.map((pair) => blobOf(signSsh(pair, PAYLOAD)));
  const change = fc.record({
    kind: fc.nat(KINDS.length - 1),
    position: fc.nat(2_000),
    by: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ kind, position, by }) => {
      const blob = Buffer.from(signatures[kind] ?? []);
      const index = position % blob.length;
      blob[index] = (blob[index] ?? 0) ^ by;
      assert.notEqual(await verdict(armorSsh(blob)), true, `${KINDS[kind]?.type} at ${index}`);
    }),
    { numRuns: 1_000 },
  );
});

test('any bytes in the armor are a signature or malformed, and never another error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, hasMagic) => {
      const blob = hasMagic ? Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01', 'latin1'), bytes]) : bytes;
      assert.equal(await verdict(armorSsh(blob)), 'malformed');
    }),
    { numRuns: 1_000 },
  );
});
