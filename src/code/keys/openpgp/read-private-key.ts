import type { JsonWebKey } from 'node:crypto';
import {
  type Key,
  type PrivateKey,
  readPrivateKeys,
  SecretKeyPacket,
  SecretSubkeyPacket,
  type Subkey,
} from 'openpgp';
import { NIST_CURVES, OTHER_ALGORITHM } from '../curves.ts';
import { ecdsaJwk, ed25519Jwk, rsaPrivateJwk } from '../jwk.ts';
import { passphraseError, UnusableKeyError } from '../unusable-key.ts';
import type { OpenPgpPrivateKey } from './model.ts';

// Reads private keys, in the thread that runs the library.

type SecretPacket = SecretKeyPacket | SecretSubkeyPacket;

interface PrivatePart extends Omit<OpenPgpPrivateKey, 'publicKey'> {
  readonly whole: PrivateKey;
}

/** GnuPG reads signatures of this version. */
const VERSION = 4;

/** @throws UnusableKeyError, and any error for a text that is not a key */
export async function readPrivateKey(armored: string, passphrase: string): Promise<PrivatePart> {
  const [whole, ...others] = await readPrivateKeys({ armoredKeys: armored });
  if (whole === undefined || others.length > 0) throw new UnusableKeyError('it must be exactly one key');
  const { packet, expiresAt } = await findSigning(whole);
  if (packet.version !== VERSION) throw new UnusableKeyError(`it must be a key of version ${VERSION}`);
  await decrypt(packet, passphrase);
  await packet.validate();
  return {
    whole,
    fingerprint: packet.getFingerprint(),
    algorithm: packet.algorithm,
    expiresAt,
    jwk: jwkOf(packet),
  };
}

/** Returns the newest part that may sign now and whose private numbers are there. */
async function findSigning(
  whole: PrivateKey,
): Promise<{ readonly packet: SecretPacket; readonly expiresAt: number | null }> {
  const byAge = (one: Key | Subkey, other: Key | Subkey) =>
    other.getCreationTime().getTime() - one.getCreationTime().getTime();
  for (const part of [...whole.subkeys.toSorted(byAge), whole]) {
    const { keyPacket } = part;
    const isSecret = keyPacket instanceof SecretKeyPacket || keyPacket instanceof SecretSubkeyPacket;
    if (!isSecret || keyPacket.isMissingSecretKeyMaterial()) continue;
    const maySign = await whole.getSigningKey(part.getKeyID()).catch(() => undefined);
    if (maySign === undefined) continue;
    const ends = [await whole.getExpirationTime(), await part.getExpirationTime()].map(Number);
    const end = Math.min(...ends);
    return { packet: keyPacket, expiresAt: Number.isFinite(end) ? end : null };
  }
  throw new UnusableKeyError(
    'no part of it may sign: it is expired, revoked, without its private part or of an unsupported kind',
  );
}

async function decrypt(packet: SecretPacket, passphrase: string): Promise<void> {
  if (packet.isDecrypted()) return;
  if (passphrase === '') throw passphraseError(passphrase);
  await packet.decrypt(passphrase).catch((error: unknown) => {
    throw passphraseError(passphrase, error);
  });
}

/** Numbers of a key, by the names of RFC 9580, sections 5.5.5 and 5.6. */
type Numbers = Readonly<Record<string, Uint8Array>>;

function jwkOf(packet: SecretPacket): JsonWebKey {
  const numbers = { ...packet.publicParams, ...packet.privateParams } as Numbers;
  const get = (name: string) => numbers[name] ?? new Uint8Array();
  const { algorithm, curve = '' } = packet.getAlgorithmInfo();
  if (algorithm === 'rsaEncryptSign' || algorithm === 'rsaSign') {
    // OpenPGP has the inverse of p modulo q.
    return rsaPrivateJwk({ n: get('n'), e: get('e'), d: get('d'), p: get('q'), q: get('p'), qi: get('u') });
  }
  if (algorithm === 'ed25519') return ed25519Jwk(get('A'), get('seed'));
  // The point has a byte in front that names its form.
  if (algorithm === 'eddsaLegacy') return ed25519Jwk(get('Q').subarray(1), get('seed'));
  const known = algorithm === 'ecdsa' ? NIST_CURVES.find(({ openPgp }) => openPgp === curve) : undefined;
  if (known === undefined) throw new UnusableKeyError(OTHER_ALGORITHM);
  return ecdsaJwk(known, get('Q'), get('d'));
}
