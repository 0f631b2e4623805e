import { UNSCOPED } from '../../api/access/scopes.ts';
import { BY_PASSWORD, type CredentialSource, type Grant } from '../../api/access/viewer.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { SignInState } from '../accounts/model.ts';
import type { OAuthBearer } from '../oauth-grants/model.ts';
import { rightsOf } from '../oauth-grants/scopes.ts';
import type { SessionBearer } from '../sessions/model.ts';
import type { Bearer } from '../tokens/model.ts';

// What each kind of credential grants.

/** Returns the grant of a token. */
export function grantOf({ account, tokenId, scopes, isLimited }: Bearer): Grant {
  const limitedByToken = isLimited ? tokenId : null;
  const source = { kind: 'token', tokenId, version: account.credentialVersion } as const;
  return { credential: 'token', scopes: { granted: new Set(scopes) }, limitedByToken, source };
}

export function oauthGrantOf({ account, grantId, applicationId, scopes }: OAuthBearer): Grant {
  const version = account.credentialVersion;
  const source = { kind: 'oauth', grantId, applicationId, scopes, version } as const;
  return { credential: 'token', scopes: rightsOf(scopes), limitedByToken: null, source };
}

export function sessionGrantOf({ session, account }: SessionBearer): Grant {
  const source = { kind: 'session', sessionId: session.id, version: account.credentialVersion } as const;
  return {
    credential: 'session',
    scopes: UNSCOPED,
    limitedByToken: null,
    source,
    provedAt: session.provedAt,
  };
}

/** With what a client signs in over SSH. */
export type SshCredential =
  | { readonly kind: 'ssh-key'; readonly keyId: number }
  | { readonly kind: 'certificate'; readonly expiresAt: number };

/** A key has all rights of its account. The commands of SSH use few of them. */
export function sshGrantOf(source: CredentialSource): Grant {
  return { credential: 'ssh-key', scopes: UNSCOPED, limitedByToken: null, source };
}

/** The proxy vouches for each request, so its user need not prove again who they are. */
export function proxyGrantOf({ credentialVersion: version }: SignInState): Grant {
  const source = { kind: 'proxy', version } as const;
  return { credential: 'session', scopes: UNSCOPED, limitedByToken: null, source, provedAt: currentTimeMs() };
}

export function passwordGrantOf({ credentialVersion: version }: SignInState): Grant {
  return { ...BY_PASSWORD, source: { kind: 'password', version } };
}
