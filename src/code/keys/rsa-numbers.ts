import type { JsonWebKey } from 'node:crypto';

/** Numbers of an RSA private key, as its file has them. */
export interface RsaNumbers {
  readonly n: Uint8Array;
  readonly e: Uint8Array;
  readonly d: Uint8Array;
  readonly p: Uint8Array;
  readonly q: Uint8Array;
  /** the inverse of q modulo p */
  readonly qi: Uint8Array;
}

/** Returns the key in the form that `node:crypto` imports, which has two more numbers. */
export function rsaJwk({ n, e, d, p, q, qi }: RsaNumbers): JsonWebKey {
  const exponent = integerOf(d);
  const remainder = (prime: Uint8Array) => bytesOf(exponent % (integerOf(prime) - 1n));
  const numbers = { n, e, d, p, q, dp: remainder(p), dq: remainder(q), qi };
  const encoded = Object.entries(numbers).map(([name, bytes]) => [
    name,
    Buffer.from(bytes).toString('base64url'),
  ]);
  return { kty: 'RSA', ...Object.fromEntries(encoded) };
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(integer: bigint): Uint8Array {
  const hex = integer.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}
