import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { MalformedKeyError } from '../byte-reader.ts';
import { KEY_LIMITS } from '../limits.ts';
import { SshReader, sshNumber, sshString } from './reader.ts';

/** Types of keys that users may add. `sk-` types are keys in a security token. */
export const SSH_KEY_TYPES = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const;
export type SshKeyType = (typeof SSH_KEY_TYPES)[number];

/** A public key, decoded from its binary form. */
export interface SshPublicKey {
  readonly type: SshKeyType;
  readonly key: KeyObject;
  /** what a security token signs for; undefined for other keys */
  readonly application: Buffer | undefined;
}

interface Curve {
  readonly ssh: string;
  readonly jwk: string;
  readonly coordinateBytes: number;
}

const CURVES: Readonly<Record<string, Curve>> = {
  'ecdsa-sha2-nistp256': { ssh: 'nistp256', jwk: 'P-256', coordinateBytes: 32 },
  'ecdsa-sha2-nistp384': { ssh: 'nistp384', jwk: 'P-384', coordinateBytes: 48 },
  'ecdsa-sha2-nistp521': { ssh: 'nistp521', jwk: 'P-521', coordinateBytes: 66 },
  'sk-ecdsa-sha2-nistp256@openssh.com': { ssh: 'nistp256', jwk: 'P-256', coordinateBytes: 32 },
};
const ED25519_BYTES = 32;
const UNCOMPRESSED = 0x04;
/** A larger exponent makes each verification slow. */
const EXPONENT_BYTES_MAX = 4;

export function isSshKeyType(text: string): text is SshKeyType {
  return (SSH_KEY_TYPES as readonly string[]).includes(text);
}

/**
 * Decodes a public key.
 *
 * @throws MalformedKeyError, with words for the user who sent it
 * @see RFC 4253, section 6.6; RFC 5656, section 3.1; RFC 8709; OpenSSH's PROTOCOL.u2f
 */
export function decodeSshKey(blob: Buffer): SshPublicKey {
  const reader = new SshReader(blob);
  const type = reader.text();
  if (!isSshKeyType(type)) throw new MalformedKeyError('its content has another type than the line says');
  const jwk = readJwk(type, reader);
  const application = type.startsWith('sk-') ? reader.string() : undefined;
  reader.end();
  return { type, key: importKey(jwk), application };
}

function readJwk(type: SshKeyType, reader: SshReader): JsonWebKey {
  const curve = CURVES[type];
  if (curve !== undefined) return readEcdsa(curve, reader);
  return type === 'ssh-rsa' ? readRsa(reader) : readEd25519(reader);
}

function readEd25519(reader: SshReader): JsonWebKey {
  const point = reader.string();
  if (point.length !== ED25519_BYTES) throw new MalformedKeyError('its content has the wrong length');
  return { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') };
}

function readEcdsa({ ssh, jwk, coordinateBytes }: Curve, reader: SshReader): JsonWebKey {
  if (reader.text() !== ssh) throw new MalformedKeyError('it names another curve than its type');
  const point = reader.string();
  if (point.length !== 1 + 2 * coordinateBytes || point[0] !== UNCOMPRESSED)
    throw new MalformedKeyError('its point has the wrong form');
  const at = (index: number) =>
    point.subarray(1 + index * coordinateBytes, 1 + (index + 1) * coordinateBytes).toString('base64url');
  return { kty: 'EC', crv: jwk, x: at(0), y: at(1) };
}

function readRsa(reader: SshReader): JsonWebKey {
  const exponent = reader.positive();
  const modulus = reader.positive();
  const bits = bitsOf(modulus);
  const { rsaKeyBitsMin: least, rsaKeyBitsMax: most } = KEY_LIMITS;
  if (bits < least)
    throw new MalformedKeyError(`an RSA key needs at least ${least} bits, and it has ${bits}`);
  if (bits > most) throw new MalformedKeyError(`an RSA key has at most ${most} bits`);
  const isOdd = (number: Buffer) => ((number.at(-1) ?? 0) & 1) === 1;
  const isUsual = exponent.length <= EXPONENT_BYTES_MAX && isOdd(exponent) && bitsOf(exponent) > 1;
  if (!isUsual || !isOdd(modulus)) throw new MalformedKeyError('it is not a usable RSA key');
  return { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') };
}

/** @param number without leading zero bytes */
function bitsOf(number: Buffer): number {
  return number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}

function importKey(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (error) {
    throw new MalformedKeyError('its numbers form no key', { cause: error });
  }
}

/**
 * Encodes the public part of a key.
 *
 * @throws MalformedKeyError for a key of another kind
 */
export function encodeSshKey(key: KeyObject): { readonly type: SshKeyType; readonly blob: Buffer } {
  const jwk = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  const bytes = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
  if (jwk.crv === 'Ed25519') return encoded('ssh-ed25519', sshString(bytes('x')));
  if (jwk.kty === 'RSA') return encoded('ssh-rsa', sshNumber(bytes('e')), sshNumber(bytes('n')));
  const [type, curve] = Object.entries(CURVES).find(([, { jwk: name }]) => name === jwk.crv) ?? [];
  if (curve === undefined || type === undefined || !isSshKeyType(type))
    throw new MalformedKeyError('it is not an RSA, Ed25519, or ECDSA key on a NIST curve');
  const point = Buffer.concat([Buffer.of(UNCOMPRESSED), bytes('x'), bytes('y')]);
  return encoded(type, sshString(curve.ssh), sshString(point));
}

function encoded(type: SshKeyType, ...parts: readonly Buffer[]) {
  return { type, blob: Buffer.concat([sshString(type), ...parts]) };
}

/** Returns the fingerprint as `ssh-keygen -l` prints it. */
export function sshFingerprint(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
