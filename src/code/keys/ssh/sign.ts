import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { base64Lines } from '../../../base/core/text/base64.ts';
import { ecdsaCurve, encodeSshKey, type SshKeyType } from './public-key.ts';
import { sshNumber, sshString } from './reader.ts';
import { GIT_NAMESPACE, SIGNATURE_MAGIC, SIGNATURE_VERSION, signedFrame } from './signature.ts';

const HASH = 'sha512';
const RESERVED = Buffer.alloc(0);
const LINE_CHARS = 70;

const signInThread = promisify(sign);

/**
 * Signs bytes as git does with an SSH key.
 *
 * @param key a private key of a type that users may add
 * @returns the armored signature
 * @see OpenSSH's PROTOCOL.sshsig
 */
export async function signWithSshKey(key: KeyObject, payload: Uint8Array): Promise<string> {
  const { type, blob } = encodeSshKey(key);
  const frame = { namespace: GIT_NAMESPACE, reserved: RESERVED, hash: HASH } as const;
  const inner = await innerSignature(type, key, signedFrame(frame, payload));
  const version = Buffer.alloc(4);
  version.writeUInt32BE(SIGNATURE_VERSION);
  const parts = [blob, GIT_NAMESPACE, RESERVED, HASH, inner].map(sshString);
  const lines = base64Lines(Buffer.concat([SIGNATURE_MAGIC, version, ...parts]), LINE_CHARS);
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

/** @see RFC 8332 for RSA; RFC 5656, section 3.1.2 for ECDSA; RFC 8709 for Ed25519 */
async function innerSignature(type: SshKeyType, key: KeyObject, bytes: Buffer): Promise<Buffer> {
  if (type === 'ssh-rsa') return algorithmAnd('rsa-sha2-512', await signInThread('sha512', bytes, key));
  const curve = ecdsaCurve(type);
  if (curve === undefined) return algorithmAnd(type, await signInThread(null, bytes, key));
  const numbers = await signInThread(curve.digest, bytes, { key, dsaEncoding: 'ieee-p1363' });
  const half = numbers.length / 2;
  const [r, s] = [numbers.subarray(0, half), numbers.subarray(half)];
  return algorithmAnd(type, Buffer.concat([sshNumber(r), sshNumber(s)]));
}

function algorithmAnd(algorithm: string, bytes: Buffer): Buffer {
  return Buffer.concat([sshString(algorithm), sshString(bytes)]);
}
