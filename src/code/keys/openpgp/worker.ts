import {
  createMessage,
  enums,
  type Key,
  PacketList,
  readKeys,
  readKey as readOneKey,
  readSignature,
  type SignaturePacket,
  type Subkey,
  verify,
} from 'openpgp';
import { answerInThread } from '../../../base/core/threads/in-thread.ts';
import { KEY_LIMITS } from '../limits.ts';
import { UnusableKeyError } from '../unusable-key.ts';
import type { OpenPgpAnswer, OpenPgpPart, OpenPgpWork, ReadOpenPgpKey, SignatureClaim } from './model.ts';
import { readPrivateKey } from './read-private-key.ts';

// Reads OpenPGP keys and verifies signatures, in a thread of its own: hostile ones can take long.

answerInThread(answerOf);

async function answerOf(work: OpenPgpWork): Promise<OpenPgpAnswer> {
  try {
    if (work.kind === 'verify') return { isValid: await isValid(work.claim) };
    if (work.kind === 'read-private-key') {
      const { whole, ...part } = await readPrivateKey(work.armored, work.passphrase);
      return { privateKey: { ...part, publicKey: await readKey(whole.toPublic().armor()) } };
    }
    return { key: await readKey(work.armored) };
  } catch (error) {
    if (error instanceof UnusableKeyError) return { why: error.why, needs: error.needs };
    return { why: `it cannot be read as an OpenPGP ${kindIn(work)} key`, needs: undefined };
  }
}

function kindIn({ kind }: OpenPgpWork): string {
  return kind === 'read-private-key' ? 'private' : 'public';
}

/** Whether the key made the signature, and was neither revoked nor expired then. */
async function isValid({ key, signature, payload }: SignatureClaim): Promise<boolean> {
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: payload }),
      signature: await readSignature({ binarySignature: signature }),
      verificationKeys: await readOneKey({ binaryKey: key }),
    });
    const [only, ...others] = signatures;
    return only !== undefined && others.length === 0 && (await only.verified);
  } catch {
    return false;
  }
}

async function readKey(armored: string): Promise<ReadOpenPgpKey> {
  const [key, ...others] = await readKeys({ armoredKeys: armored });
  if (key === undefined || others.length > 0) throw new UnusableKeyError('it must have exactly one key');
  if (key.isPrivate()) throw new UnusableKeyError('it is a private key: add the public key');
  if (key.subkeys.length > KEY_LIMITS.openPgpSubkeysMax || key.users.length > KEY_LIMITS.openPgpUserIdsMax)
    throw new UnusableKeyError(
      `it has more than ${KEY_LIMITS.openPgpSubkeysMax} subkeys or ${KEY_LIMITS.openPgpUserIdsMax} user ids`,
    );
  // Signatures of others are not needed, and anyone can add some.
  for (const user of key.users) user.otherCertifications = [];
  if (countSignatures(key) > KEY_LIMITS.openPgpOwnSignaturesMax)
    throw new UnusableKeyError(
      `it has more than ${KEY_LIMITS.openPgpOwnSignaturesMax} signatures of its own`,
    );
  const subkeys = await Promise.all(key.subkeys.map((subkey) => readSubkey(key, subkey)));
  return {
    ...(await readPrimary(key)),
    subkeys: subkeys.filter((subkey) => subkey !== undefined),
    emails: await readEmails(key),
  };
}

/** Counts the signatures of the key on itself, which each verification may have to check. */
function countSignatures({ users, subkeys, revocationSignatures }: Key): number {
  const ofUsers = users.flatMap((user) => [user.selfCertifications, user.revocationSignatures]);
  const ofSubkeys = subkeys.flatMap((subkey) => [subkey.bindingSignatures, subkey.revocationSignatures]);
  return [revocationSignatures, ...ofUsers, ...ofSubkeys].reduce((sum, { length }) => sum + length, 0);
}

async function readPrimary(key: Key): Promise<OpenPgpPart> {
  const primary = await key.getPrimaryUser().catch(() => undefined);
  if (primary === undefined)
    throw new UnusableKeyError('it has no user id that is signed with the key itself and not revoked');
  const expiresAt = await key.getExpirationTime().catch(() => null);
  return {
    ...partOf(key, primary.selfCertification, await key.isRevoked()),
    content: Buffer.from(key.write()).toString('base64'),
    expiresAt: msOf(expiresAt),
  };
}

/** @returns undefined if the primary key has not signed the subkey */
async function readSubkey(key: Key, subkey: Subkey): Promise<OpenPgpPart | undefined> {
  const expiresAt = await subkey.getExpirationTime();
  if (expiresAt === null) return undefined;
  const [binding] = subkey.bindingSignatures.toSorted(
    (one, other) => (other.created?.getTime() ?? 0) - (one.created?.getTime() ?? 0),
  );
  if (binding === undefined) return undefined;
  const isRevoked = await subkey.isRevoked(binding, key.keyPacket);
  const packets = new PacketList();
  packets.push(subkey.keyPacket);
  return {
    ...partOf(subkey, binding, isRevoked),
    content: Buffer.from(packets.write()).toString('base64'),
    expiresAt: msOf(expiresAt),
  };
}

function partOf(part: Key | Subkey, { keyFlags }: SignaturePacket, isRevoked: boolean) {
  const flags = isRevoked ? 0 : (keyFlags?.[0] ?? 0);
  const has = (flag: enums.keyFlags) => (flags & flag) !== 0;
  return {
    keyId: part.getKeyID().toHex().toUpperCase(),
    fingerprint: part.getFingerprint(),
    canSign: has(enums.keyFlags.signData),
    canCertify: has(enums.keyFlags.certifyKeys),
    canEncryptCommunication: has(enums.keyFlags.encryptCommunication),
    canEncryptStorage: has(enums.keyFlags.encryptStorage),
    createdAt: part.getCreationTime().getTime(),
  };
}

function msOf(time: Date | number | null): number | null {
  return time instanceof Date ? time.getTime() : null;
}

async function readEmails(key: Key): Promise<readonly string[]> {
  const emails = new Set<string>();
  for (const user of key.users) {
    const email = user.userID?.email.trim().toLowerCase() ?? '';
    if (email !== '' && (await user.verify().catch(() => false))) emails.add(email);
  }
  return [...emails];
}
