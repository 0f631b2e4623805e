import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import { bitLength, significantBytes } from '../numbers.ts';
import { encodeArmor } from './armor.ts';
import type { OpenPgpPrivateKey } from './model.ts';
import {
  CREATED,
  ISSUER,
  ISSUER_FINGERPRINT,
  KEY_ID_BYTES,
  OF_BINARY,
  SIGNATURE_TAG,
} from './signature-packet.ts';

/** A key that signs, without the library. */
export interface OpenPgpSigningKey {
  readonly key: KeyObject;
  readonly algorithm: number;
  readonly fingerprint: Buffer;
}

const VERSION = 4;
/** SHA-512 */
const HASH = { name: 'sha512', number: 10 } as const;
/** the algorithm of RFC 9580 that has a form of its own; the one before it has two numbers, as ECDSA */
const ED25519 = 27;

const signInThread = promisify(sign);

export function openPgpSigningKey({ jwk, algorithm, fingerprint }: OpenPgpPrivateKey): OpenPgpSigningKey {
  return {
    key: createPrivateKey({ key: jwk, format: 'jwk' }),
    algorithm,
    fingerprint: Buffer.from(fingerprint, 'hex'),
  };
}

/**
 * Signs bytes as git does with an OpenPGP key.
 *
 * The library would need the event loop for most of the time (5 ms with a key of RSA 4096), and 0.1 s to load.
 *
 * @returns the armored signature
 * @see RFC 9580, section 5.2.3 and 5.2.4
 */
export async function signWithOpenPgpKey(
  { key, algorithm, fingerprint }: OpenPgpSigningKey,
  payload: Uint8Array,
): Promise<string> {
  const createdAt = number(4, Math.floor(currentTimeMs() / 1000));
  const hashed = Buffer.concat([
    subpacket(ISSUER_FINGERPRINT, Buffer.concat([Buffer.of(VERSION), fingerprint])),
    subpacket(CREATED, createdAt),
  ]);
  const head = Buffer.concat([
    Buffer.of(VERSION, OF_BINARY, algorithm, HASH.number),
    number(2, hashed.length),
    hashed,
  ]);
  const signed = Buffer.concat([payload, head, Buffer.of(VERSION, 0xff), number(4, head.length)]);
  const digest = createHash(HASH.name).update(signed).digest();
  const issuer = subpacket(ISSUER, fingerprint.subarray(-KEY_ID_BYTES));
  const packet = Buffer.concat([
    head,
    number(2, issuer.length),
    issuer,
    digest.subarray(0, 2),
    await signatureOf(key, algorithm, { signed, digest }),
  ]);
  const framed = Buffer.concat([Buffer.of(0xc0 | SIGNATURE_TAG, 0xff), number(4, packet.length), packet]);
  return encodeArmor(framed, 'PGP SIGNATURE');
}

async function signatureOf(
  key: KeyObject,
  algorithm: number,
  { signed, digest }: { readonly signed: Buffer; readonly digest: Buffer },
): Promise<Buffer> {
  if (key.asymmetricKeyType === 'rsa') return multiprecision(await signInThread(HASH.name, signed, key));
  const numbers =
    key.asymmetricKeyType === 'ed25519'
      ? await signInThread(null, digest, key)
      : await signInThread(HASH.name, signed, { key, dsaEncoding: 'ieee-p1363' });
  if (algorithm === ED25519) return numbers;
  const half = numbers.length / 2;
  return Buffer.concat([numbers.subarray(0, half), numbers.subarray(half)].map(multiprecision));
}

function subpacket(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(content.length + 1, type), content]);
}

/** Encodes a positive number without zero bytes at its front, after its length in bits. @see RFC 9580, section 3.2 */
function multiprecision(bytes: Buffer): Buffer {
  const significant = significantBytes(bytes);
  return Buffer.concat([number(2, bitLength(significant)), significant]);
}

function number(byteCount: 2 | 4, value: number): Buffer {
  const bytes = Buffer.alloc(byteCount);
  bytes.writeUIntBE(value, 0, byteCount);
  return bytes;
}
