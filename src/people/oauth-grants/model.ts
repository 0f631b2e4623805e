import type { SignInState } from '../accounts/model.ts';
import type { ChallengeMethod } from './secrets.ts';

/** What a user has granted to an application once, for example on one of their devices. */
export interface OAuthGrant {
  readonly id: number;
  readonly applicationId: number;
  readonly accountId: number;
  /** separated by spaces; '': everything */
  readonly scopes: string;
  readonly nonce: string;
  /** ms; when the user had last proved who they are */
  readonly provedAt: number;
  /** ms */
  readonly createdAt: number;
  /** ms; up to an hour old */
  readonly usedAt: number;
}

/** A grant as its user sees it. */
export interface ShownGrant extends OAuthGrant {
  readonly applicationName: string;
  readonly clientId: string;
}

/** The account and the rights of an access token. */
export interface OAuthBearer {
  readonly grantId: number;
  readonly applicationId: number;
  readonly account: SignInState;
  /** `credentialVersion` of the account when the user granted it */
  readonly version: number;
  /** separated by spaces; '': everything */
  readonly scopes: string;
  /** ms; of the last use of the grant that was recorded */
  readonly usedAt: number;
  /** ms; of the token */
  readonly createdAt: number;
  /** ms; of the token, or of the grant */
  readonly endsAt: number;
}

/** A request of a client that its user grants. */
export interface GrantedRequest {
  readonly applicationId: number;
  readonly scopes: string;
  readonly nonce: string;
  /** as the request named it; null: it named none */
  readonly redirectUri: string | null;
  readonly challenge: string;
  /** '': the request had no challenge */
  readonly method: ChallengeMethod | '';
}

/** An authorization code that a client exchanges. */
export interface CodeExchange {
  readonly applicationId: number;
  readonly code: string;
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
}

/** What a client gets for a code or for a refresh token. */
export interface IssuedTokens {
  readonly grant: OAuthGrant;
  /** of the access token */
  readonly scopes: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A token that is valid, as its client may inspect it. */
export interface InspectedToken {
  readonly kind: 'access' | 'refresh';
  readonly account: SignInState;
  readonly scopes: string;
  /** ms */
  readonly createdAt: number;
  /** ms */
  readonly endsAt: number;
}
