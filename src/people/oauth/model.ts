import type { ChallengeMethod } from '../oauth-grants/secrets.ts';

export interface OAuthSettings {
  /** false: no application signs users in, and no token of one is valid */
  readonly isEnabled: boolean;
}

export const DEFAULT_OAUTH_SETTINGS: OAuthSettings = { isEnabled: true };

/** A program that users can let act for them. */
export interface OAuthApplication {
  readonly id: number;
  /** a user or an organization; null: the site */
  readonly accountId: number | null;
  readonly clientId: string;
  readonly name: string;
  /** exact, except for the port of a public client's own machine */
  readonly redirectUris: readonly string[];
  /** It can keep a secret, as a program on a server can. A public client runs on the machine of its user. */
  readonly isConfidential: boolean;
  /** Once a user has granted it, it is not asked for again, although it is a public client. */
  readonly skipsConsent: boolean;
  /** Every server has it, and no one changes it. */
  readonly isBuiltIn: boolean;
  /** ms */
  readonly createdAt: number;
}

/** An application with its secret, which no later response contains. */
export interface CreatedApplication extends OAuthApplication {
  /** '' for a public client */
  readonly secret: string;
}

/** The fields of a new application, or of a change; absent ones of a change stay. */
export interface ApplicationFields {
  readonly name?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly isConfidential?: boolean | undefined;
  readonly skipsConsent?: boolean | undefined;
}

/** A request of a client that its user may grant. All of it has been checked. */
export interface AuthorizationRequest {
  readonly application: OAuthApplication;
  /** where the answer goes */
  readonly redirectUri: string;
  /** as the request named it; null: it named none */
  readonly namedRedirectUri: string | null;
  readonly state: string | undefined;
  /** separated by spaces; '': everything */
  readonly scopes: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly method: ChallengeMethod | '';
  readonly prompts: ReadonlySet<string>;
  /** ms; the oldest proof of the user that the client accepts; null: any */
  readonly proofMsMax: number | null;
}
