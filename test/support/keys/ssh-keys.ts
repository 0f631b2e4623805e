import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { sshString } from '../../../src/code/keys/ssh/reader.ts';

/** A key pair as ssh has it. */
export interface SshPair {
  readonly type: string;
  /** SSH's binary form of the public key */
  readonly blob: Buffer;
  /** as a file whose name ends in .pub has it, without a comment */
  readonly line: string;
  readonly privateKey: KeyObject;
}

const CURVES: Readonly<Record<string, string>> = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' };
/** The name under which a security token signs. */
export const APPLICATION = 'ssh:';

function pairOf(type: string, privateKey: KeyObject, ...parts: readonly (Uint8Array | string)[]): SshPair {
  const blob = Buffer.concat([type, ...parts].map(sshString));
  return { type, blob, line: `${type} ${blob.toString('base64')}`, privateKey };
}

export function newEd25519(): SshPair {
  const { point, privateKey } = ed25519();
  return pairOf('ssh-ed25519', privateKey, point);
}

/** The key of a security token that exists only in memory. */
export function newTokenEd25519(): SshPair {
  const { point, privateKey } = ed25519();
  return pairOf('sk-ssh-ed25519@openssh.com', privateKey, point, APPLICATION);
}

function ed25519() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { point: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'), privateKey };
}

export function newEcdsa(curve: string): SshPair {
  const { point, privateKey } = ecdsa(curve);
  return pairOf(`ecdsa-sha2-${curve}`, privateKey, curve, point);
}

export function newTokenEcdsa(): SshPair {
  const { point, privateKey } = ecdsa('nistp256');
  return pairOf('sk-ecdsa-sha2-nistp256@openssh.com', privateKey, 'nistp256', point, APPLICATION);
}

function ecdsa(curve: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: CURVES[curve] ?? '' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coordinates = [x, y].map((each) => Buffer.from(each, 'base64url'));
  return { point: Buffer.concat([Buffer.from([4]), ...coordinates]), privateKey };
}

export function newRsa(bits = 2048): SshPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return pairOf('ssh-rsa', privateKey, positive(e), positive(n));
}

/** A positive number whose first bit is set gets a leading zero. */
export function positive(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url');
  return (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]);
}

export function allKinds(): readonly SshPair[] {
  const ecdsas = Object.keys(CURVES).map(newEcdsa);
  return [newEd25519(), newRsa(), ...ecdsas, newTokenEd25519(), newTokenEcdsa()];
}

export interface SshSignOptions {
  readonly namespace?: string;
  readonly hash?: 'sha256' | 'sha512';
  /** RSA only; the default is SHA-512 */
  readonly algorithm?: string;
  /** of a security token; by default its owner touched it */
  readonly flags?: number;
}

/** Signs as `ssh-keygen -Y sign` does. */
export function signSsh(pair: SshPair, payload: Uint8Array | string, options: SshSignOptions = {}): string {
  const { namespace = 'git', hash = 'sha512', flags = 1 } = options;
  const digest = createHash(hash).update(payload).digest();
  const frame = ['', hash, digest].map((part) => sshString(part as string));
  const signed = Buffer.concat([Buffer.from('SSHSIG'), sshString(namespace), ...frame]);
  const version = Buffer.from([0, 0, 0, 1]);
  const head = [pair.blob, namespace, '', hash].map((part) => sshString(part as string));
  const inner = sshString(innerSignature(pair, signed, { algorithm: options.algorithm, flags }));
  return armorSsh(Buffer.concat([Buffer.from('SSHSIG'), version, ...head, inner]));
}

/** Returns what a key makes: an algorithm, a signature, and what a security token adds. */
export function innerSignature(
  { type, privateKey }: SshPair,
  signed: Buffer,
  { algorithm = 'rsa-sha2-512', flags }: { algorithm?: string | undefined; flags: number },
): Buffer {
  const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
  const added = Buffer.from([flags, 0, 0, 0, 7]);
  const isToken = type.startsWith('sk-');
  const bytes = isToken ? Buffer.concat([sha256(APPLICATION), added, sha256(signed)]) : signed;
  const parts = (name: string, signature: Buffer) =>
    Buffer.concat([sshString(name), sshString(signature), ...(isToken ? [added] : [])]);
  if (type === 'ssh-rsa')
    return parts(algorithm, sign(algorithm.replace('rsa-sha2-', 'sha'), bytes, privateKey));
  if (!type.includes('ecdsa')) return parts(type, sign(null, bytes, privateKey));
  const digest = type.includes('521') ? 'sha512' : type.includes('384') ? 'sha384' : 'sha256';
  const raw = sign(digest, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const halves = [raw.subarray(0, raw.length / 2), raw.subarray(raw.length / 2)];
  return parts(type, Buffer.concat(halves.map((half) => sshString(mpint(half)))));
}

function mpint(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  return positive(bytes.subarray(Math.max(first, 0)).toString('base64url'));
}

export function armorSsh(blob: Uint8Array): string {
  const lines =
    Buffer.from(blob)
      .toString('base64')
      .match(/.{1,70}/g) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`;
}
