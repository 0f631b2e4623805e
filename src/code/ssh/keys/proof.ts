import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { MalformedKeyError } from '../../keys/byte-reader.ts';
import { decodeSshKey, ecdsaCurve, type SshPublicKey } from '../../keys/ssh/public-key.ts';
import { isSignedBy, parseInner } from '../../keys/ssh/signature.ts';
import type { Certificate } from './certificate.ts';

/** A key or certificate that a client offers, as the library reads it. */
export interface OfferedKey {
  /** `ssh-rsa` also for its newer algorithms, which `hash` distinguishes */
  readonly algorithm: string;
  /** undefined for the algorithm of RSA with SHA-1, and for keys of other types */
  readonly hash: string | undefined;
  readonly blob: Buffer;
}

/** What a client has signed, to prove that it possesses the key. */
export interface Proof {
  /** as the library leaves it: without its algorithm for keys, in DER for ECDSA, and untouched for certificates */
  readonly signature: Buffer;
  readonly message: Buffer;
}

const verifyInThread = promisify(verify);
/** After the signature of a security token: flags and a counter. */
const TOKEN_BYTES = 5;

/** Whether the client could use this key: an RSA key signs only with SHA-2. */
export function isUsableOffer({ algorithm, hash }: OfferedKey): boolean {
  return algorithm !== 'ssh-rsa' || hash === 'sha256' || hash === 'sha512';
}

/** @returns undefined for a malformed key, or one of an unknown type */
export function readOfferedKey(blob: Buffer): SshPublicKey | undefined {
  try {
    return decodeSshKey(blob);
  } catch (error) {
    if (error instanceof MalformedKeyError) return undefined;
    throw error;
  }
}

/** Whether the client possesses the key. @see RFC 4252, section 7 */
export async function isProvedByKey(
  publicKey: SshPublicKey,
  { hash }: OfferedKey,
  { signature, message }: Proof,
): Promise<boolean> {
  const { type, key, application } = publicKey;
  if (application !== undefined) {
    if (signature.length < TOKEN_BYTES) return false;
    const added = signature.subarray(-TOKEN_BYTES);
    const token = { flags: added.readUInt8(), counter: added.readUInt32BE(1) };
    const bytes = signature.subarray(0, -TOKEN_BYTES);
    return isSignedBy({ publicKey, algorithm: type, bytes, token }, message);
  }
  const curve = ecdsaCurve(type);
  if (curve !== undefined) return isValidDer(curve.digest, key, { signature, message });
  const algorithm = type === 'ssh-rsa' ? `rsa-sha2-${hash?.slice('sha'.length)}` : type;
  return isSignedBy({ publicKey, algorithm, bytes: signature, token: undefined }, message);
}

async function isValidDer(digest: string, key: KeyObject, { signature, message }: Proof): Promise<boolean> {
  try {
    return await verifyInThread(digest, message, key, signature);
  } catch {
    // OpenSSL reports a malformed signature as an error.
    return false;
  }
}

/** Whether the client possesses the key that a certificate is for. */
export async function isProvedByCertificate(
  { publicKey }: Certificate,
  { signature, message }: Proof,
): Promise<boolean> {
  try {
    return await isSignedBy({ publicKey, ...parseInner(publicKey, signature) }, message);
  } catch (error) {
    if (error instanceof MalformedKeyError) return false;
    throw error;
  }
}
