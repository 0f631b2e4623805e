import { decodeArmor, encodeArmor } from '../keys/openpgp/armor.ts';
import type { OpenPgpEngine } from '../keys/openpgp/engine.ts';
import type { ReadOpenPgpKey } from '../keys/openpgp/model.ts';
import { openPgpSigningKey, signWithOpenPgpKey } from '../keys/openpgp/sign.ts';
import { parseSshKey } from '../keys/ssh/parse-line.ts';
import { readSshPrivateKey } from '../keys/ssh/private-key.ts';
import { encodeSshKey, sshFingerprint } from '../keys/ssh/public-key.ts';
import { signWithSshKey } from '../keys/ssh/sign.ts';
import { isValidSshSignature, parseSshSignature } from '../keys/ssh/signature.ts';
import { UnusableKeyError } from '../keys/unusable-key.ts';
import type { ServerKey, SigningKey } from './model.ts';

const BEGIN = /^-----BEGIN /gm;
const PUBLIC_KEY = /^-----BEGIN (?:PGP )?PUBLIC KEY|^(?:ssh|ecdsa-sha2)-\S+ /m;
const PRIVATE_KEY = /^-----BEGIN [A-Z ]*PRIVATE KEY/m;
const OPENPGP_PRIVATE = /^-----BEGIN PGP PRIVATE KEY BLOCK-----$/m;
const OPENPGP_PUBLIC = /^-----BEGIN PGP PUBLIC KEY BLOCK-----$/m;
/** What the server signs once at its start, so that no key is in use whose signatures do not count. */
const PROBE = Buffer.from('probe\n');

/**
 * Reads the private key with which the server signs, and verifies a signature by it.
 *
 * @param passphrase '' for none
 * @throws UnusableKeyError; ForgeError `busy`
 */
export async function readSigningKey(
  text: string,
  { passphrase, openPgp }: { readonly passphrase: string; readonly openPgp: OpenPgpEngine },
): Promise<SigningKey> {
  if ((text.match(BEGIN) ?? []).length > 1) throw new UnusableKeyError('it must be exactly one key');
  if (PUBLIC_KEY.test(text))
    throw new UnusableKeyError('it is a public key: the server needs the private one');
  return OPENPGP_PRIVATE.test(text) ? readOpenPgp(text, passphrase, openPgp) : readSsh(text, passphrase);
}

/**
 * Reads a public key with which the server signed before.
 *
 * @throws UnusableKeyError; ForgeError `busy`
 */
export async function readFormerKey(text: string, openPgp: OpenPgpEngine): Promise<ServerKey> {
  if (PRIVATE_KEY.test(text))
    throw new UnusableKeyError('it is a private key: only the public one is needed');
  if (OPENPGP_PUBLIC.test(text)) return openPgpServerKey(await openPgp.readKey(text));
  const { type, content } = parseSshKey(text);
  return sshServerKey(type, Buffer.from(content, 'base64'));
}

async function readSsh(text: string, passphrase: string): Promise<SigningKey> {
  const key = readSshPrivateKey(text, passphrase);
  const sign = (content: Uint8Array) => signWithSshKey(key, content);
  if (!(await isValidSshSignature(parseSshSignature(await sign(PROBE)), PROBE))) throw unverifiable();
  const { type, blob } = encodeSshKey(key);
  return { ...sshServerKey(type, blob), sign, expiresAt: null };
}

async function readOpenPgp(text: string, passphrase: string, openPgp: OpenPgpEngine): Promise<SigningKey> {
  const privateKey = await openPgp.readPrivateKey(text, passphrase);
  const key = openPgpSigningKey(privateKey);
  const sign = (content: Uint8Array) => signWithOpenPgpKey(key, content);
  const serverKey = openPgpServerKey(privateKey.publicKey);
  const signature = decodeArmor(await sign(PROBE), 'PGP SIGNATURE') ?? Buffer.alloc(0);
  if (!(await openPgp.isValid({ key: serverKey.content, signature, payload: PROBE }))) throw unverifiable();
  return { ...serverKey, sign, expiresAt: privateKey.expiresAt };
}

function sshServerKey(type: string, blob: Buffer): ServerKey {
  const text = `${type} ${blob.toString('base64')}\n`;
  return { kind: 'ssh', names: [sshFingerprint(blob)], text, content: blob };
}

function openPgpServerKey({ keyId, subkeys, content }: ReadOpenPgpKey): ServerKey {
  const names = [keyId, ...subkeys.map((subkey) => subkey.keyId)];
  const bytes = Buffer.from(content, 'base64');
  return { kind: 'openpgp', names, text: encodeArmor(bytes, 'PGP PUBLIC KEY BLOCK'), content: bytes };
}

function unverifiable(): UnusableKeyError {
  return new UnusableKeyError('its signatures cannot be verified');
}
