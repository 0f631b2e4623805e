import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { MalformedKeyError } from './byte-reader.ts';
import { ED25519_BYTES, type NistCurve, OTHER_ALGORITHM } from './curves.ts';
import { padded } from './numbers.ts';

// Keys in the form that `node:crypto` imports. @see RFC 7518, section 6; RFC 8037, section 2

/** First byte of a point that has both coordinates. */
export const UNCOMPRESSED = 0x04;

/**
 * Imports a key, and checks that its numbers belong together.
 *
 * @returns a private key if the private number is there
 * @throws MalformedKeyError
 */
export function importKey(jwk: JsonWebKey): KeyObject {
  const input = { key: jwk, format: 'jwk' } as const;
  try {
    return jwk.d === undefined ? createPublicKey(input) : createPrivateKey(input);
  } catch (error) {
    throw new MalformedKeyError('its numbers form no key', { cause: error });
  }
}

/**
 * Exports the public part of a key.
 *
 * @throws MalformedKeyError for a key that has no such form, as DSA keys
 */
export function publicJwkOf(key: KeyObject): JsonWebKey {
  try {
    return (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  } catch (error) {
    throw new MalformedKeyError(OTHER_ALGORITHM, { cause: error });
  }
}

/**
 * @param seed of a private key
 * @throws MalformedKeyError
 */
export function ed25519Jwk(point: Uint8Array, seed?: Uint8Array): JsonWebKey {
  if ([point, seed].some((part) => part !== undefined && part.length !== ED25519_BYTES))
    throw new MalformedKeyError('its content has the wrong length');
  return { kty: 'OKP', crv: 'Ed25519', x: text(point), ...(seed === undefined ? {} : { d: text(seed) }) };
}

/**
 * @param point not compressed
 * @param number of a private key, perhaps without zero bytes at its front
 * @throws MalformedKeyError
 */
export function ecdsaJwk(
  { jwk, numberBytes }: NistCurve,
  point: Uint8Array,
  number?: Uint8Array,
): JsonWebKey {
  if (point.length !== 1 + 2 * numberBytes || point[0] !== UNCOMPRESSED)
    throw new MalformedKeyError('its point has the wrong form');
  return {
    kty: 'EC',
    crv: jwk,
    x: text(point.subarray(1, 1 + numberBytes)),
    y: text(point.subarray(1 + numberBytes)),
    ...(number === undefined ? {} : { d: text(padded(number, numberBytes)) }),
  };
}

/** Numbers of an RSA private key, as its file has them. */
interface RsaNumbers {
  readonly n: Uint8Array;
  readonly e: Uint8Array;
  readonly d: Uint8Array;
  readonly p: Uint8Array;
  readonly q: Uint8Array;
  /** the inverse of q modulo p */
  readonly qi: Uint8Array;
}

export function rsaPublicJwk({ n, e }: Pick<RsaNumbers, 'n' | 'e'>): JsonWebKey {
  return { kty: 'RSA', n: text(n), e: text(e) };
}

/** Adds two numbers that files do not have. */
export function rsaPrivateJwk({ n, e, d, p, q, qi }: RsaNumbers): JsonWebKey {
  const exponent = integerOf(d);
  const remainder = (prime: Uint8Array) => bytesOf(exponent % (integerOf(prime) - 1n));
  const [dp, dq] = [remainder(p), remainder(q)];
  return {
    ...rsaPublicJwk({ n, e }),
    d: text(d),
    p: text(p),
    q: text(q),
    dp: text(dp),
    dq: text(dq),
    qi: text(qi),
  };
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(integer: bigint): Uint8Array {
  const hex = integer.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
