import { createHash, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeBase64 } from '../../../base/core/text/base64.ts';
import { MalformedKeyError } from '../byte-reader.ts';
import type { NistCurve } from '../curves.ts';
import { KEY_LIMITS } from '../limits.ts';
import { padded } from '../numbers.ts';
import { decodeSshKey, ecdsaCurve, type SshPublicKey, sshFingerprint } from './public-key.ts';
import { SshReader, sshString } from './reader.ts';

/** An SSH signature. Nothing of it is verified. */
export interface SshSignature {
  readonly publicKey: SshPublicKey;
  /** of that key */
  readonly fingerprint: string;
  /** what the signature is for, so that one for another purpose does not count */
  readonly namespace: string;
  readonly reserved: Buffer;
  readonly hash: 'sha256' | 'sha512';
  readonly algorithm: string;
  readonly bytes: Buffer;
  /** what a security token adds; undefined for other keys */
  readonly token: { readonly flags: number; readonly counter: number } | undefined;
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)\r?\n-----END SSH SIGNATURE-----\s*$/;
export const SIGNATURE_MAGIC = Buffer.from('SSHSIG');
export const SIGNATURE_VERSION = 1;
/** Name with which git signs commits and tags. */
export const GIT_NAMESPACE = 'git';
const ED25519_SIGNATURE_BYTES = 64;
/** A token sets it if its owner touched it. Without it, a program could have signed unnoticed. */
const IS_PRESENT = 0x01;

/** Signature algorithms of RSA keys with their digests. SHA-1 is not among them. */
const RSA_DIGESTS: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' };

const verifyInThread = promisify(verify);

/**
 * Parses a signature.
 *
 * @param namespaces what the signature may be for
 * @throws MalformedKeyError
 * @see OpenSSH's PROTOCOL.sshsig
 */
export function parseSshSignature(
  text: string,
  namespaces: readonly string[] = [GIT_NAMESPACE],
): SshSignature {
  if (text.length > KEY_LIMITS.signatureCharsMax) throw new MalformedKeyError('it is too long');
  const content = (ARMOR.exec(text)?.[1] ?? '').replaceAll(/[\r\n]/g, '');
  const blob = decodeBase64(content);
  if (blob === undefined) throw new MalformedKeyError('it has no armor');
  const reader = new SshReader(blob);
  if (!reader.take(SIGNATURE_MAGIC.length).equals(SIGNATURE_MAGIC))
    throw new MalformedKeyError('it is not an SSH signature');
  if (reader.number(4) !== SIGNATURE_VERSION) throw new MalformedKeyError('it has an unknown version');
  const keyBlob = reader.string();
  const publicKey = decodeSshKey(keyBlob);
  const namespace = reader.text();
  if (!namespaces.includes(namespace)) throw new MalformedKeyError('it is for another purpose');
  const reserved = reader.string();
  const hash = reader.text();
  if (hash !== 'sha256' && hash !== 'sha512') throw new MalformedKeyError('it has an unknown hash');
  const signature = reader.string();
  reader.end();
  return {
    publicKey,
    fingerprint: sshFingerprint(keyBlob),
    namespace,
    reserved,
    hash,
    ...parseInner(publicKey, signature),
  };
}

/**
 * Parses what a key makes: an algorithm, bytes, and what a security token adds.
 *
 * @throws MalformedKeyError
 */
export function parseInner({ application }: SshPublicKey, blob: Buffer) {
  const reader = new SshReader(blob);
  const algorithm = reader.text();
  const bytes = reader.string();
  const token =
    application === undefined ? undefined : { flags: reader.number(1), counter: reader.number(4) };
  reader.end();
  return { algorithm, bytes, token };
}

/** Whether the key of the signature made it over exactly this payload. */
export async function isValidSshSignature(signature: SshSignature, payload: Uint8Array): Promise<boolean> {
  return isSignedBy(signature, signedFrame(signature, payload));
}

/** A signature apart from what it says about its purpose. */
type BareSignature = Pick<SshSignature, 'publicKey' | 'algorithm' | 'bytes' | 'token'>;

/**
 * Whether the key of a signature made it over exactly this message.
 *
 * @see RFC 4253, section 6.6; OpenSSH's PROTOCOL.u2f
 */
export async function isSignedBy(signature: BareSignature, message: Buffer): Promise<boolean> {
  const { publicKey, algorithm } = signature;
  const { type, key } = publicKey;
  const signed = signedBytes(signature, message);
  try {
    const curve = ecdsaCurve(type);
    if (curve !== undefined) return algorithm === type && (await isValidEcdsa(signature, curve, signed));
    if (type === 'ssh-rsa') return await isValidRsa(signature, key, signed);
    const isRightForm = algorithm === type && signature.bytes.length === ED25519_SIGNATURE_BYTES;
    return (
      isRightForm && hasPresence(signature) && (await verifyInThread(null, signed, key, signature.bytes))
    );
  } catch (error) {
    if (error instanceof MalformedKeyError) return false;
    throw error;
  }
}

/** Returns what the key signs: the message, in which a token includes what it adds. */
function signedBytes({ publicKey, token }: BareSignature, message: Buffer): Buffer {
  const { application } = publicKey;
  if (application === undefined || token === undefined) return message;
  const added = Buffer.alloc(5);
  added.writeUInt8(token.flags);
  added.writeUInt32BE(token.counter, 1);
  return Buffer.concat([sha256(application), added, sha256(message)]);
}

/** Returns a frame around the digest of the payload, which names the purpose of the signature. */
export function signedFrame(
  { namespace, reserved, hash }: Pick<SshSignature, 'namespace' | 'reserved' | 'hash'>,
  payload: Uint8Array,
): Buffer {
  const digest = createHash(hash).update(payload).digest();
  return Buffer.concat([SIGNATURE_MAGIC, ...[namespace, reserved, hash, digest].map(sshString)]);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function hasPresence({ token }: BareSignature): boolean {
  return token === undefined || (token.flags & IS_PRESENT) !== 0;
}

async function isValidEcdsa(
  signature: BareSignature,
  { digest, numberBytes }: NistCurve,
  signed: Buffer,
): Promise<boolean> {
  const reader = new SshReader(signature.bytes);
  const numbers = [reader.positive(), reader.positive()];
  reader.end();
  if (numbers.some((number) => number.length > numberBytes) || !hasPresence(signature)) return false;
  const bytes = Buffer.concat(numbers.map((number) => padded(number, numberBytes)));
  const key = { key: signature.publicKey.key, dsaEncoding: 'ieee-p1363' } as const;
  return verifyInThread(digest, signed, key, bytes);
}

async function isValidRsa(signature: BareSignature, key: KeyObject, signed: Buffer): Promise<boolean> {
  const digest = RSA_DIGESTS[signature.algorithm];
  const keyBytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (digest === undefined || signature.bytes.length > keyBytes) return false;
  return verifyInThread(digest, signed, key, padded(signature.bytes, keyBytes));
}
