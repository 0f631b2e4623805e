import { createHash, type JsonWebKey, type KeyObject } from 'node:crypto';
import { MalformedKeyError } from '../byte-reader.ts';
import { NIST_CURVES, type NistCurve, OTHER_ALGORITHM, P256 } from '../curves.ts';
import { ecdsaJwk, ed25519Jwk, importKey, publicJwkOf, rsaPublicJwk, UNCOMPRESSED } from '../jwk.ts';
import { KEY_LIMITS } from '../limits.ts';
import { bitLength } from '../numbers.ts';
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

/** A larger exponent makes each verification slow. */
const EXPONENT_BYTES_MAX = 4;

export function isSshKeyType(text: string): text is SshKeyType {
  return (SSH_KEY_TYPES as readonly string[]).includes(text);
}

/** Returns the curve of an ECDSA key; undefined for keys of other types. */
export function ecdsaCurve(type: SshKeyType): NistCurve | undefined {
  if (type === 'sk-ecdsa-sha2-nistp256@openssh.com') return P256;
  return NIST_CURVES.find(({ sshType }) => sshType === type);
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
  const curve = ecdsaCurve(type);
  if (curve !== undefined) return readEcdsa(curve, reader);
  return type === 'ssh-rsa' ? readRsa(reader) : ed25519Jwk(reader.string());
}

function readEcdsa(curve: NistCurve, reader: SshReader): JsonWebKey {
  if (reader.text() !== curve.ssh) throw new MalformedKeyError('it names another curve than its type');
  return ecdsaJwk(curve, reader.string());
}

function readRsa(reader: SshReader): JsonWebKey {
  const exponent = reader.positive();
  const modulus = reader.positive();
  const bits = bitLength(modulus);
  const { rsaKeyBitsMin: least, rsaKeyBitsMax: most } = KEY_LIMITS;
  if (bits < least)
    throw new MalformedKeyError(`an RSA key needs at least ${least} bits, and it has ${bits}`);
  if (bits > most) throw new MalformedKeyError(`an RSA key has at most ${most} bits`);
  const isOdd = (number: Buffer) => ((number.at(-1) ?? 0) & 1) === 1;
  const isUsual = exponent.length <= EXPONENT_BYTES_MAX && isOdd(exponent) && bitLength(exponent) > 1;
  if (!isUsual || !isOdd(modulus)) throw new MalformedKeyError('it is not a usable RSA key');
  return rsaPublicJwk({ n: modulus, e: exponent });
}

/**
 * Encodes the public part of a key.
 *
 * @throws MalformedKeyError for a key of another kind
 */
export function encodeSshKey(key: KeyObject): { readonly type: SshKeyType; readonly blob: Buffer } {
  const jwk = publicJwkOf(key);
  const bytes = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
  if (jwk.crv === 'Ed25519') return encoded('ssh-ed25519', sshString(bytes('x')));
  if (jwk.kty === 'RSA') return encoded('ssh-rsa', sshNumber(bytes('e')), sshNumber(bytes('n')));
  const curve = NIST_CURVES.find(({ jwk: name }) => name === jwk.crv);
  if (curve === undefined) throw new MalformedKeyError(OTHER_ALGORITHM);
  const point = Buffer.concat([Buffer.of(UNCOMPRESSED), bytes('x'), bytes('y')]);
  return encoded(curve.sshType, sshString(curve.ssh), sshString(point));
}

function encoded(type: SshKeyType, ...parts: readonly Buffer[]) {
  return { type, blob: Buffer.concat([sshString(type), ...parts]) };
}

/** Returns the fingerprint as `ssh-keygen -l` prints it. */
export function sshFingerprint(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
