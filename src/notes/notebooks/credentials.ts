import type { SignedIn } from '../../api/access/viewer.ts';
import type { Credential } from './model.ts';

/** Returns what the viewer signed in with. All devices that share a password are one credential. */
export function credentialOf({ accountId, source }: SignedIn): Credential {
  return { accountId, name: source?.kind === 'token' ? `token ${source.tokenId}` : 'password' };
}

/** Names a credential among those of all accounts. */
export function writerOf({ accountId, name }: Credential): string {
  return `${accountId} ${name}`;
}
