import type { CredentialSource, SignedIn } from '../../api/access/viewer.ts';
import type { Credential } from './model.ts';

/** Returns the credential with which the viewer signed in. Devices that share a password have one credential. */
export function credentialOf({ accountId, source }: SignedIn): Credential {
  return { accountId, name: nameOf(source) };
}

function nameOf(source: CredentialSource | undefined): string {
  if (source?.kind === 'token') return `token ${source.tokenId}`;
  // Each browser has seen other versions.
  if (source?.kind === 'session') return `session ${source.sessionId}`;
  return source?.kind === 'oauth' ? `grant ${source.grantId}` : 'password';
}

/** Returns a name that identifies a credential among all accounts. */
export function writerOf({ accountId, name }: Credential): string {
  return `${accountId} ${name}`;
}
