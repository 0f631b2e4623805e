import { BlockList, isIP } from 'node:net';
import { MalformedKeyError } from '../../keys/byte-reader.ts';
import { decodeSshKey, type SshPublicKey, sshFingerprint } from '../../keys/ssh/public-key.ts';
import { SshReader, sshString } from '../../keys/ssh/reader.ts';
import { isSignedBy, parseInner } from '../../keys/ssh/signature.ts';
import { SSH_LIMITS } from '../limits.ts';

/** A certificate, read but not verified. @see OpenSSH's PROTOCOL.certkeys */
export interface Certificate {
  readonly publicKey: SshPublicKey;
  /** of the certified key */
  readonly fingerprint: string;
  /** what the authority calls it */
  readonly id: string;
  readonly isForUsers: boolean;
  readonly principals: readonly string[];
  /** seconds */
  readonly validAfter: bigint;
  /** seconds; excluded */
  readonly validBefore: bigint;
  readonly criticalOptions: ReadonlyMap<string, Buffer>;
  readonly authority: { readonly blob: Buffer; readonly publicKey: SshPublicKey };
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const CERTIFICATE =
  /^(?:(sk-(?:ssh-ed25519|ecdsa-sha2-nistp256))|(ssh-ed25519|ssh-rsa|rsa-sha2-(?:256|512)|ecdsa-sha2-nistp(?:256|384|521)))-cert-v01@openssh\.com$/;
const USER_CERTIFICATE = 1;

export function isCertificateAlgorithm(algorithm: string): boolean {
  return CERTIFICATE.test(algorithm);
}

/** @throws MalformedKeyError */
export function readCertificate(blob: Buffer): Certificate {
  if (blob.length > SSH_LIMITS.certificateBytesMax) throw new MalformedKeyError('it is too long');
  const reader = new SshReader(blob);
  const [, token, plain] = CERTIFICATE.exec(reader.text()) ?? [];
  const type = token === undefined ? plain : `${token}@openssh.com`;
  if (type === undefined) throw new MalformedKeyError('it is no certificate of a known type');
  reader.string();
  const keyBlob = readKey(type, reader);
  reader.take(8);
  const kind = reader.number(4);
  const id = reader.string().toString('utf8');
  const principals = stringsIn(reader.string());
  const validAfter = reader.take(8).readBigUInt64BE();
  const validBefore = reader.take(8).readBigUInt64BE();
  const criticalOptions = optionsIn(reader.string());
  reader.string();
  reader.string();
  const authorityBlob = reader.string();
  const authority = { blob: authorityBlob, publicKey: decodeSshKey(authorityBlob) };
  const signature = reader.string();
  reader.end();
  return {
    publicKey: decodeSshKey(keyBlob),
    fingerprint: sshFingerprint(keyBlob),
    id,
    isForUsers: kind === USER_CERTIFICATE,
    principals,
    validAfter,
    validBefore,
    criticalOptions,
    authority,
    signed: blob.subarray(0, blob.length - sshString(signature).length),
    signature,
  };
}

/** Reads the fields of a key, and returns them in the form of a key. */
function readKey(type: string, reader: SshReader): Buffer {
  const counts: Readonly<Record<string, number>> = {
    'ssh-ed25519': 1,
    'sk-ssh-ed25519@openssh.com': 2,
    'sk-ecdsa-sha2-nistp256@openssh.com': 3,
  };
  const fields = Array.from({ length: counts[type] ?? 2 }, () => sshString(reader.string()));
  const keyType = type.startsWith('rsa-sha2-') ? 'ssh-rsa' : type;
  return Buffer.concat([sshString(keyType), ...fields]);
}

function stringsIn(bytes: Buffer): readonly string[] {
  const reader = new SshReader(bytes);
  const strings: string[] = [];
  while (!reader.isAtEnd) {
    strings.push(reader.string().toString('utf8'));
    if (strings.length > SSH_LIMITS.principalsMax) throw new MalformedKeyError('it has too many principals');
  }
  return strings;
}

function optionsIn(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const reader = new SshReader(bytes);
  const options = new Map<string, Buffer>();
  while (!reader.isAtEnd) {
    const name = reader.text();
    if (options.has(name)) throw new MalformedKeyError('it has an option twice');
    options.set(name, reader.string());
  }
  return options;
}

/** Whether the authority of the certificate has signed it. */
export async function isSignedByAuthority({ authority, signed, signature }: Certificate): Promise<boolean> {
  const { publicKey } = authority;
  return isSignedBy({ publicKey, ...parseInner(publicKey, signature) }, signed);
}

/**
 * Explains why a genuine certificate cannot be used now from this address, or returns undefined. An option that this
 * server does not know denies, as its meaning is a limit.
 *
 * @param client.nowMs ms
 * @param client.address undefined if another program has compared it
 */
export function whyUnusable(
  certificate: Certificate,
  { nowMs, address }: { readonly nowMs: number; readonly address: string | undefined },
): string | undefined {
  const { isForUsers, principals, validAfter, validBefore, criticalOptions } = certificate;
  const now = BigInt(Math.floor(nowMs / 1000));
  if (!isForUsers) return 'it is for hosts';
  if (now < validAfter) return 'it is not valid yet';
  if (now >= validBefore) return 'it has expired';
  if (principals.length === 0) return 'it names no principal';
  for (const [name, value] of criticalOptions) {
    if (name !== 'source-address') return `it has the option ${name}`;
    if (address !== undefined && !isFrom(address, new SshReader(value).string().toString('latin1')))
      return 'it is for other addresses';
  }
  return undefined;
}

/** @param list comma-separated addresses and networks */
function isFrom(address: string, list: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const allowed = new BlockList();
  for (const item of list.split(',')) {
    const [network = '', bits] = item.split('/');
    const version = isIP(network);
    if (version === 0) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    const bitsMax = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? bitsMax : Number(bits);
    if (!/^\d{0,3}$/.test(bits ?? '') || prefix > bitsMax) return false;
    allowed.addSubnet(network, prefix, family);
  }
  const version = isIP(plain);
  return version !== 0 && allowed.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}
