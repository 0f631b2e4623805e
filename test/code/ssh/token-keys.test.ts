// Runs once: the database has no part in signatures.
import assert from 'node:assert/strict';
import { createHash, randomBytes, sign } from 'node:crypto';
import { test } from 'node:test';
import { isProvedByKey, readOfferedKey } from '../../../src/code/ssh/keys/proof.ts';
import {
  APPLICATION,
  innerSignature,
  newTokenEcdsa,
  newTokenEd25519,
  type SshPair,
} from '../../support/keys/ssh-keys.ts';
import { startAgent } from './agent.ts';
import { sshWithAgent, startSshForge } from './ssh-stage.ts';

const PRESENT = 1;

/** Returns what the library leaves of a signature: without its algorithm, and the length of what follows. */
function proofOf(pair: SshPair, message: Buffer, flags: number): Buffer {
  return innerSignature(pair, message, { flags }).subarray(4 + pair.type.length + 4);
}

for (const [name, make] of [
  ['Ed25519', newTokenEd25519],
  ['ECDSA', newTokenEcdsa],
] as const) {
  test(`a security token with ${name} signs in`, async (t) => {
    const forge = await startSshForge(t);
    const ada = await forge.account('ada');
    const pair = make();
    const added = await ada.post('/api/v1/user/keys', { title: 'token', key: pair.line });
    assert.equal(added.status, 201, added.text);
    let flags = PRESENT;
    const agent = await startAgent(t, pair, (data) => innerSignature(pair, data, { flags }));
    assert.match((await sshWithAgent(forge, agent)).stdout, /^Hi there, ada! .* named token,/);
    flags = 0;
    assert.match((await sshWithAgent(forge, agent)).stderr, /Permission denied/);
  });

  test(`a signature by ${name} counts only for its message, and with its owner's touch`, async () => {
    const pair = make();
    const message = randomBytes(200);
    const publicKey = readOfferedKey(pair.blob);
    assert.ok(publicKey !== undefined);
    const offer = { algorithm: pair.type, hash: undefined, blob: pair.blob };
    const isProved = (signature: Buffer, of = message) =>
      isProvedByKey(publicKey, offer, { signature, message: of });
    const right = proofOf(pair, message, PRESENT);
    assert.equal(await isProved(right), true);
    assert.equal(await isProved(right, randomBytes(200)), false);
    assert.equal(await isProved(proofOf(pair, message, 0)), false);
    for (let at = 0; at < right.length; at += 7) {
      const changed = Buffer.from(right);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      assert.equal(await isProved(changed), false, `byte ${at}`);
    }
    for (const cut of [0, 1, 4, 5, right.length - 1])
      assert.equal(await isProved(right.subarray(0, cut)), false);
  });
}

test('a signature over another application is rejected', async () => {
  const pair = newTokenEd25519();
  const message = randomBytes(100);
  const publicKey = readOfferedKey(pair.blob);
  assert.ok(publicKey !== undefined);
  const added = Buffer.from([PRESENT, 0, 0, 0, 7]);
  const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
  const signed = (application: string) =>
    Buffer.concat([
      sign(null, Buffer.concat([sha256(application), added, sha256(message)]), pair.privateKey),
      added,
    ]);
  const offer = { algorithm: pair.type, hash: undefined, blob: pair.blob };
  const isProved = (application: string) =>
    isProvedByKey(publicKey, offer, { signature: signed(application), message });
  assert.equal(await isProved(APPLICATION), true);
  assert.equal(await isProved('ssh:other'), false);
});
