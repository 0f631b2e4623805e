import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ED25519_BYTES, NIST_CURVES, OTHER_ALGORITHM } from '../curves.ts';
import { ecdsaJwk, ed25519Jwk, importKey, rsaPrivateJwk } from '../jwk.ts';
import { passphraseError, readUsableKey, UnusableKeyError } from '../unusable-key.ts';
import { decodeSshKey, encodeSshKey } from './public-key.ts';
import { SshReader } from './reader.ts';

const OPENSSH =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)\r?\n-----END OPENSSH PRIVATE KEY-----$/;
const PEM = /^-----BEGIN (?:(?:RSA|EC|ENCRYPTED) )?PRIVATE KEY-----/;
const MAGIC = Buffer.from('openssh-key-v1\0');

/**
 * Reads a private key in the form of OpenSSH, or in PEM. No message repeats a part of the text.
 *
 * @param passphrase '' for none. Only a key in PEM may have one
 * @throws UnusableKeyError, also for a key whose public part users may not add
 */
export function readSshPrivateKey(text: string, passphrase: string): KeyObject {
  const trimmed = text.trim();
  const content = OPENSSH.exec(trimmed)?.[1];
  if (content === undefined && !PEM.test(trimmed)) throw new UnusableKeyError('it is not a private key');
  return readUsableKey(() => {
    const key = content === undefined ? readPem(trimmed, passphrase) : readOpenSsh(content);
    // Checks the size of the numbers.
    decodeSshKey(encodeSshKey(key).blob);
    return key;
  });
}

function readPem(pem: string, passphrase: string): KeyObject {
  try {
    return createPrivateKey({ key: pem, format: 'pem', ...(passphrase === '' ? {} : { passphrase }) });
  } catch (error) {
    if (!/ENCRYPTED/.test(pem)) throw new UnusableKeyError('it cannot be read', { cause: error });
    throw passphraseError(passphrase, error);
  }
}

/** @see OpenSSH's PROTOCOL.key */
function readOpenSsh(content: string): KeyObject {
  const reader = new SshReader(Buffer.from(content, 'base64'));
  if (!reader.take(MAGIC.length).equals(MAGIC)) throw new UnusableKeyError('it cannot be read');
  const cipher = reader.text();
  if (cipher !== 'none')
    throw new UnusableKeyError('it has a passphrase, which "ssh-keygen -p -N \'\' -f FILE" removes');
  reader.string();
  reader.string();
  if (reader.number(4) !== 1) throw new UnusableKeyError('it must be exactly one key');
  reader.string();
  const inner = new SshReader(reader.string());
  const [one, other] = [inner.number(4), inner.number(4)];
  if (one !== other) throw new UnusableKeyError('it cannot be read');
  return importKey(readJwk(inner));
}

function readJwk(reader: SshReader): JsonWebKey {
  const type = reader.text();
  if (type === 'ssh-ed25519') {
    const point = reader.string();
    // The point follows the seed.
    return ed25519Jwk(point, reader.string().subarray(0, ED25519_BYTES));
  }
  if (type === 'ssh-rsa') {
    const [n, e, d, qi, p, q] = [1, 2, 3, 4, 5, 6].map(() => reader.positive());
    if (n && e && d && qi && p && q) return rsaPrivateJwk({ n, e, d, p, q, qi });
  }
  const curve = NIST_CURVES.find(({ sshType }) => sshType === type);
  if (curve === undefined) throw new UnusableKeyError(OTHER_ALGORITHM);
  reader.string();
  return ecdsaJwk(curve, reader.string(), reader.positive());
}
