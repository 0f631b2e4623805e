import { type KeyObject, randomBytes } from 'node:crypto';
import { base64Lines } from '../../../base/core/text/base64.ts';
import { encodeSshKey } from '../../keys/ssh/public-key.ts';
import { sshString } from '../../keys/ssh/reader.ts';

const MAGIC = 'openssh-key-v1\0';
const BLOCK_BYTES = 8;
const LINE_CHARS = 70;

/**
 * Encodes an Ed25519 private key without a passphrase, as OpenSSH stores it: there is no older form for these keys.
 *
 * @see OpenSSH's PROTOCOL.key
 */
export function encodeEd25519(privateKey: KeyObject): string {
  const { type, blob } = encodeSshKey(privateKey);
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [seed, point] = [d, x].map((part) => Buffer.from(part, 'base64url'));
  const check = randomBytes(4);
  const secret = sshString(Buffer.concat([seed ?? Buffer.alloc(0), point ?? Buffer.alloc(0)]));
  const section = [check, check, sshString(type), sshString(point ?? ''), secret, sshString('')];
  const one = Buffer.from([0, 0, 0, 1]);
  const head = [Buffer.from(MAGIC), ...['none', 'none', ''].map(sshString), one, sshString(blob)];
  const file = Buffer.concat([...head, sshString(padded(Buffer.concat(section)))]);
  const lines = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...base64Lines(file, LINE_CHARS)];
  return `${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Adds the bytes 1, 2, 3 and so on, up to whole blocks. */
function padded(section: Buffer): Buffer {
  const count = (BLOCK_BYTES - (section.length % BLOCK_BYTES)) % BLOCK_BYTES;
  return Buffer.concat([section, Buffer.from(Array.from({ length: count }, (_, index) => index + 1))]);
}
