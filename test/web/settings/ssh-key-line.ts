import { generateKeyPairSync } from 'node:crypto';

const TYPE = 'ssh-ed25519';

/** Returns the line of a new SSH public key. */
export function sshKeyLine(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const blob = Buffer.concat([field(Buffer.from(TYPE)), field(Buffer.from(x, 'base64url'))]);
  return `${TYPE} ${blob.toString('base64')} test`;
}
