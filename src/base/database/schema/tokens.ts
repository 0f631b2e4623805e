import type { Generated } from 'kysely';

/** Written by `tokens/`. The token itself is stored nowhere. */
export interface TokensTable {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** SHA-256 of the token, hex */
  digest: string;
  last_eight: string;
  /** comma-separated scope names, as granted */
  scopes: string;
  /** the token sees only the repositories in `token_repositories`, even if none remain */
  is_limited: Generated<number>;
  created_at: number;
  /** null: never */
  expires_at: number | null;
  /** may lag behind; null: not used yet, or only by an earlier version */
  last_used_at: number | null;
  /** days before its end for which the owner last got a notice by mail; null: no notice yet */
  announced_days: number | null;
}

/** Written by `tokens/`. */
export interface TokenRepositoriesTable {
  token_id: number;
  repository_id: number;
}

/** Written by `oauth/`. Programs that users can let act for them. */
export interface OAuthApplicationsTable {
  id: Generated<number>;
  /** a user or an organization; null: the site */
  account_id: number | null;
  client_id: string;
  name: string;
  /** SHA-256 of the secret, hex; null: a public client, which has no secret */
  secret_digest: string | null;
  /** one on each line */
  redirect_uris: string;
  /** 1: the client can keep a secret */
  is_confidential: 0 | 1;
  /** 1: a public client that is not asked for again, once a user has granted it */
  skips_consent: 0 | 1;
  /** 1: every server has it, and no one changes it */
  is_built_in: 0 | 1;
  created_at: number;
}

/** Written by `oauth-grants/`. What a user has granted to an application once. Its secrets are stored nowhere. */
export interface OAuthGrantsTable {
  id: Generated<number>;
  application_id: number;
  account_id: number;
  /** `credential_version` of the account: the grant ends when the account has another one */
  version: number;
  /** separated by spaces, sorted; '': everything */
  scopes: string;
  /** of the request, for the id token */
  nonce: string;
  /** when the user had last proved who they are */
  proved_at: number;
  /** SHA-256 of the authorization code, hex. It stays, so that a second use ends the grant. */
  code_digest: string;
  /** as the request named it; null: it named none */
  code_redirect_uri: string | null;
  code_challenge: string;
  code_challenge_method: '' | 'plain' | 'S256';
  /** 1: the client has exchanged the code */
  is_redeemed: 0 | 1;
  /** SHA-256 of the part that all refresh tokens of the grant share, hex; null before the code was exchanged */
  family_digest: string | null;
  /** SHA-256 of the only valid refresh token, hex */
  refresh_digest: string | null;
  created_at: number;
  /** of the last use of its tokens that was recorded */
  used_at: number;
  /** of the code, and later of the refresh token */
  ends_at: number;
}

/** Written by `oauth-grants/`. Access tokens of grants. */
export interface OAuthTokensTable {
  id: Generated<number>;
  grant_id: number;
  /** SHA-256 of the token, hex */
  digest: string;
  /** those of the grant, or fewer */
  scopes: string;
  created_at: number;
  ends_at: number;
}

/** Written by `oauth/`. Keys that sign id tokens. */
export interface OAuthKeysTable {
  id: Generated<number>;
  /** names the key in tokens */
  kid: string;
  /** JSON */
  public_jwk: string;
  /** the private key, PKCS #8 in PEM */
  sealed: string;
  created_at: number;
  /** when the last token that it has signed ends; null: it still signs */
  ends_at: number | null;
}

export interface TokenTables {
  tokens: TokensTable;
  token_repositories: TokenRepositoriesTable;
  oauth_applications: OAuthApplicationsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_tokens: OAuthTokensTable;
  oauth_keys: OAuthKeysTable;
}
