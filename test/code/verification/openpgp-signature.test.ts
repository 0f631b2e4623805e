import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSignature } from 'openpgp';
import { MalformedKeyError } from '../../../src/code/keys/byte-reader.ts';
import { KEY_LIMITS } from '../../../src/code/keys/limits.ts';
import { decodeArmor } from '../../../src/code/keys/openpgp/armor.ts';
import { readSignatureFacts } from '../../../src/code/keys/openpgp/signature-packet.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';

// Runs once: no outcome depends on the database.

const KIND = 'PGP SIGNATURE';

test('the facts of a signature are those that the library reads', async () => {
  for (const hasSigningSubkey of [false, true]) {
    const text = await signDetached(await newOpenPgpPair({ hasSigningSubkey }), 'payload');
    const [packet] = (await readSignature({ armoredSignature: text })).packets;
    const facts = readSignatureFacts(decodeArmor(text, KIND) ?? Buffer.alloc(0));
    assert.equal(facts.keyId, packet?.issuerKeyID.toHex().toUpperCase());
    assert.equal(facts.createdAt, packet?.created?.getTime());
    assert.equal(facts.expiresAt, null);
  }
});

test('armor with other headers, checksums and line ends is read, and everything else is not', async () => {
  const body = Buffer.from('some bytes of a signature').toString('base64');
  const armor = (inside: string, kind = KIND) =>
    `-----BEGIN ${kind}-----\n${inside}\n-----END ${kind}-----\n`;
  for (const text of [
    armor(`\n${body}`),
    armor(body),
    armor(`Version: x\nComment: y z\n\n${body}\n=abcd`),
    armor(`\n${body.slice(0, 8)}\n${body.slice(8)}\n=ab/+`).replaceAll('\n', '\r\n'),
  ])
    assert.equal(decodeArmor(text, KIND)?.toString(), 'some bytes of a signature', text);
  for (const text of [
    '',
    armor(''),
    armor(`\n${body}`, 'PGP MESSAGE'),
    armor(`no header\n\n${body}`),
    armor(`\n${body}!`),
    armor(`\n${body.slice(0, -1)}`),
    armor(`\n${body}`) + armor(`\n${body}`),
    armor(`\n${'A'.repeat(KEY_LIMITS.signatureCharsMax)}`),
  ])
    assert.equal(decodeArmor(text, KIND), undefined, text.slice(0, 60));
});

test('any bytes are a signature or malformed, and never another error', async () => {
  const text = await signDetached(await newOpenPgpPair(), 'payload');
  const original = decodeArmor(text, KIND) ?? Buffer.alloc(0);
  const read = (bytes: Buffer) => {
    try {
      return readSignatureFacts(bytes);
    } catch (error) {
      assert.ok(error instanceof MalformedKeyError, String(error));
      return undefined;
    }
  };
  for (let length = 0; length < 40; length += 1) assert.equal(read(original.subarray(0, length)), undefined);
  assert.equal(read(Buffer.concat([original, original])), undefined);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(original.length - 1),
      fc.nat(255),
      (bytes, at, value) => {
        read(Buffer.from(bytes));
        read(Buffer.concat([Buffer.of(0xc2, bytes.length), bytes]));
        const changed = Buffer.from(original);
        changed[at] = value;
        read(changed);
      },
    ),
    { numRuns: 3_000 },
  );
});
