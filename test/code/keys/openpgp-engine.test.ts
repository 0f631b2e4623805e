import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { decodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { OpenPgpEngine } from '../../../src/code/keys/openpgp/engine.ts';
import { afterTest } from '../../support/after-test.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';

// Runs once: no outcome depends on the database.

const PAYLOAD = Buffer.from('payload');

test('work that takes too long ends with its thread, and the next work has a new one', async (t) => {
  // No thread starts in this time.
  const engine = new OpenPgpEngine({ deadlineMs: 1 });
  afterTest(t, () => engine.close());
  const pair = await newOpenPgpPair();
  for (let count = 0; count < 2; count += 1) {
    await assert.rejects(engine.readKey(pair.armored), /takes too long/);
    const signature = Buffer.from('x');
    assert.equal(
      await engine.isValid({ key: pair.publicKey.write(), signature, payload: PAYLOAD }),
      undefined,
    );
  }
});

test('a closed engine starts again, and concurrent work gives each caller its own answer', async (t) => {
  const engine = new OpenPgpEngine();
  afterTest(t, () => engine.close());
  const [one, other] = await Promise.all([newOpenPgpPair(), newOpenPgpPair()]);
  const claims = await Promise.all(
    [one, other].flatMap((key) =>
      [one, other].map(async (signer) => ({
        key: key.publicKey.write(),
        signature: decodeArmor(await signDetached(signer, PAYLOAD), 'PGP SIGNATURE') ?? Buffer.alloc(0),
        payload: PAYLOAD,
      })),
    ),
  );
  const verdicts = () => Promise.all(claims.map((claim) => engine.isValid(claim)));
  assert.deepEqual(await verdicts(), [true, false, false, true]);
  await engine.close();
  assert.deepEqual(await verdicts(), [true, false, false, true]);
});

test('no changed byte of a key or a signature makes the thread fail or a signature valid for another payload', async (t) => {
  const engine = new OpenPgpEngine();
  afterTest(t, () => engine.close());
  const pair = await newOpenPgpPair({ hasSigningSubkey: true });
  const key = pair.publicKey.write();
  const signature = decodeArmor(await signDetached(pair, PAYLOAD), 'PGP SIGNATURE') ?? Buffer.alloc(0);
  const change = fc.record({
    at: fc.nat(key.length + signature.length - 1),
    by: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, by }) => {
      const both = Buffer.concat([key, signature]);
      both[at] = (both[at] ?? 0) ^ by;
      const changed = { key: both.subarray(0, key.length), signature: both.subarray(key.length) };
      assert.equal(await engine.isValid({ ...changed, payload: Buffer.from('another') }), false);
      const armored = `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${changed.key.toString('base64')}\n-----END PGP PUBLIC KEY BLOCK-----\n`;
      await engine.readKey(armored).catch((error) => assert.ok(error instanceof ForgeError, String(error)));
    }),
    { numRuns: 150 },
  );
});
