import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { MalformedKeyError } from '../../../src/code/keys/byte-reader.ts';
import { parseSshKey } from '../../../src/code/keys/ssh/parse-line.ts';
import { decodeSshKey } from '../../../src/code/keys/ssh/public-key.ts';
import { sshString } from '../../../src/code/keys/ssh/reader.ts';
import { anyText } from '../../support/any-text.ts';
import { allKinds, newRsa, positive } from '../../support/keys/ssh-keys.ts';

// Runs once: no outcome depends on the database.

const KINDS = allKinds();

test('a key parses to its parts, and its text is the same again', () => {
  for (const { type, blob, line } of KINDS) {
    const parsed = parseSshKey(`${line} a comment`);
    assert.deepEqual(
      [parsed.type, parsed.content, parsed.comment],
      [type, blob.toString('base64'), 'a comment'],
    );
  }
});

test('a key with a changed byte is rejected or another key, and never an unexpected error', () => {
  const at = fc.record({
    kind: fc.nat(KINDS.length - 1),
    position: fc.nat(600),
    value: fc.nat(255),
    cut: fc.boolean(),
  });
  fc.assert(
    fc.property(at, ({ kind, position, value, cut }) => {
      const original = KINDS[kind]?.blob ?? Buffer.alloc(0);
      const index = position % original.length;
      const changed = cut ? original.subarray(0, index) : Buffer.from(original);
      if (!cut) changed[index] = value;
      try {
        decodeSshKey(changed);
        assert.equal(cut, false);
      } catch (error) {
        assert.ok(error instanceof MalformedKeyError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('any text is a key or a clear rejection', () => {
  const types = fc.constantFrom('ssh-rsa', 'ssh-ed25519', 'ecdsa-sha2-nistp256', 'x');
  const text = fc.oneof(
    anyText(),
    fc.tuple(types, fc.base64String(), fc.string()).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(text, (each) => {
      assert.throws(
        () => parseSshKey(each),
        (error) => error instanceof ForgeError && error.failure.kind === 'invalid',
      );
    }),
    { numRuns: 2_000 },
  );
});

test('RSA keys with unusual numbers, extra bytes and points off the curve are rejected', () => {
  const { n = '', e = '' } = newRsa().privateKey.export({ format: 'jwk' });
  const rsa = (...numbers: readonly Uint8Array[]) =>
    Buffer.concat([sshString('ssh-rsa'), ...numbers.map((number) => sshString(number))]);
  const [modulus, exponent] = [positive(n), positive(e)];
  decodeSshKey(rsa(exponent, modulus));
  const ecdsa = KINDS.find(({ type }) => type === 'ecdsa-sha2-nistp256')?.blob ?? Buffer.alloc(0);
  const offCurve = Buffer.from(ecdsa);
  offCurve[offCurve.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
  for (const blob of [
    rsa(Buffer.of(1), modulus),
    rsa(Buffer.of(4), modulus),
    rsa(Buffer.of(0, 3), modulus),
    rsa(Buffer.of(0x81), modulus),
    rsa(Buffer.alloc(0), modulus),
    rsa(Buffer.alloc(5, 1), modulus),
    rsa(exponent, Buffer.concat([Buffer.of(0), modulus])),
    rsa(exponent, positive(Buffer.alloc(2049, 0xff).toString('base64url'))),
    Buffer.concat([rsa(exponent, modulus), Buffer.of(0)]),
    offCurve,
  ])
    assert.throws(() => decodeSshKey(blob), MalformedKeyError);
});
