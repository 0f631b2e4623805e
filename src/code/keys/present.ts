import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { presentRepository, repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { noreplyAddress, presentOwner } from '../../people/accounts/present.ts';
import type { DeployKeyIn, NewSshKey, OpenPgpKey, OpenPgpKeyPart, SshKey } from './model.ts';
import { encodeArmor } from './openpgp/armor.ts';
import { DeployKeySchema, OpenPgpKeySchema, PublicKeySchema } from './schema.ts';

function presentLine({ type, content, comment }: NewSshKey): string {
  return comment === '' ? `${type} ${content}` : `${type} ${content} ${comment}`;
}

function presentSshKey(key: SshKey, viewer: Viewer, addresses: Addresses): Static<typeof PublicKeySchema> {
  const { account } = key;
  const isInsider = viewer.isAdmin || viewer.accountId === account.id;
  return {
    id: key.id,
    key: presentLine(key),
    url: `${addresses.apiRoot}/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    updated_at: wireTime(key.lastUsedAt ?? key.createdAt),
    verified: key.isProved,
    ...(isInsider
      ? { user: presentOwner(account, viewer, addresses), read_only: false, key_type: 'user' }
      : {}),
  };
}

function presentDeployKey(
  key: DeployKeyIn,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof DeployKeySchema> {
  const { permitted } = key;
  return {
    id: key.id,
    key_id: key.keyId,
    key: presentLine(key),
    url: `${repositoryAddresses(permitted.repository, addresses).url}/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    read_only: key.isReadOnly,
    repository: presentRepository(permitted, viewer, addresses),
  };
}

function presentOpenPgpKey(
  key: OpenPgpKey,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof OpenPgpKeySchema> {
  const { account, keyId, isProved } = key;
  const own = [account.email.toLowerCase(), noreplyAddress(account, addresses)];
  return {
    ...presentPart(key, { primaryId: '', isProved }),
    emails: key.emails.map((email) => ({ email, verified: own.includes(email) })),
    subkeys: key.subkeys.map((subkey) => ({
      ...presentPart(subkey, { primaryId: keyId, isProved }),
      emails: [],
      subkeys: null,
    })),
  };
}

function presentPart(
  part: OpenPgpKeyPart,
  { primaryId, isProved }: { primaryId: string; isProved: boolean },
) {
  return {
    id: part.id,
    primary_key_id: primaryId,
    key_id: part.keyId,
    public_key: part.content,
    can_sign: part.canSign,
    can_encrypt_comms: part.canEncryptCommunication,
    can_encrypt_storage: part.canEncryptStorage,
    can_certify: part.canCertify,
    verified: isProved,
    created_at: wireTime(part.createdAt),
    expires_at: part.expiresAt === null ? null : wireTime(part.expiresAt),
  };
}

/** Returns one line for each key, without its comment, which may have an address in it. */
export function presentAuthorizedKeys(keys: readonly SshKey[]): string {
  return keys.map((key) => `${presentLine({ ...key, comment: '' })}\n`).join('');
}

/** Returns all keys in one block of armor; '' if there are none. */
export function presentArmored(keys: readonly OpenPgpKey[]): string {
  const bytes = Buffer.concat(keys.map(({ content }) => Buffer.from(content, 'base64')));
  return bytes.length === 0 ? '' : encodeArmor(bytes, 'PGP PUBLIC KEY BLOCK');
}

export const OpenPgpKeyAnswer = answerOf(OpenPgpKeySchema, presentOpenPgpKey);
export const SshKeyAnswer = answerOf(PublicKeySchema, presentSshKey);
export const DeployKeyAnswer = answerOf(DeployKeySchema, presentDeployKey);
