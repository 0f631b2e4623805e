import type { SignedIn } from '../../api/access/viewer.ts';
import type { Credential } from './model.ts';

/** Returns the credential with which the viewer signed in. Devices that share a password have one credential. */
export function credentialOf({ accountId, source }: SignedIn): Credential {
  return { accountId, name: source?.kind === 'token' ? `token ${source.tokenId}` : 'password' };
}

/** Returns a name that identifies a credential among all accounts. */
export function writerOf({ accountId, name }: Credential): string {
  return `${accountId} ${name}`;
}
