import type { Generated } from 'kysely';

/** Written by `platform/`. Clients that have asked to sign in, until they have their app password. */
export interface SignInRequestsTable {
  id: Generated<number>;
  /** SHA-256 of the token that the client polls with */
  poll_digest: string;
  /** SHA-256 of the token in the address of the page that the user opens */
  page_digest: string;
  /** as the client names itself */
  client: string;
  /** null until a user grants it */
  account_id: number | null;
  /** as the user names the device */
  device: string;
  /** 1: the app password is only for notes */
  notes_only: Generated<0 | 1>;
  created_at: number;
}

/** Written by `sessions/`. Browsers that have signed in. The secret in the cookie is stored nowhere. */
export interface SessionsTable {
  id: Generated<number>;
  account_id: number;
  /** `credential_version` of the account at the sign-in: the session ends when the account has another one */
  version: number;
  /** SHA-256 of the secret, hex */
  digest: string;
  /** 1: the browser keeps its cookie when it is closed */
  is_remembered: 0 | 1;
  /** comma-separated ways in which the user proved who they are, such as `password` */
  proofs: string;
  /** of the browser at the sign-in */
  user_agent: string;
  /** of the client at its last request that was recorded */
  address: string;
  created_at: number;
  /** when the user last proved who they are */
  proved_at: number;
  /** of the last request that was recorded */
  seen_at: number;
  /** unless a later request is recorded */
  ends_at: number;
}

/** Written by `account-links/`. Links by mail. The token in a link is stored nowhere. */
export interface AccountLinksTable {
  id: Generated<number>;
  /** SHA-256 of the token, hex */
  digest: string;
  /** random; with the secret of the server, the token follows from it and from the purpose */
  seed: string;
  /** what the link does, such as `recover` */
  purpose: string;
  /** null: of no account yet */
  account_id: number | null;
  /** `credential_version` of the account: the link ends when the account has another one; null: it does not */
  version: number | null;
  email: string;
  lower_email: string;
  /** of the account that a sign-up makes */
  name: string | null;
  password_hash: string | null;
  /** team that an invited user joins */
  team_id: number | null;
  /** administrator who has invited; null: the operator at the command line */
  inviter_id: number | null;
  created_at: number;
  ends_at: number;
}

/** Written by `second-factor/`. Accounts that make one-time codes, or that are about to. */
export interface OneTimeCodesTable {
  account_id: number;
  /** sealed with the key for stored credentials */
  sealed_secret: string;
  /** null until the user has sent a first code */
  confirmed_at: number | null;
  /** time step of the last code that was accepted; codes of this step and of earlier ones are used */
  last_step: Generated<number>;
  /** codes that were tried since `tried_since`; 0 after a right one */
  tried_count: Generated<number>;
  tried_since: Generated<number>;
  created_at: number;
}

/** Written by `second-factor/`. Recovery codes that are not used yet. */
export interface RecoveryCodesTable {
  account_id: number;
  /** SHA-256, hex */
  digest: string;
}

/** Written by `second-factor/`. */
export interface PasskeysTable {
  id: Generated<number>;
  account_id: number;
  /** as the user names it */
  name: string;
  /** as the authenticator names it, base64url */
  credential_id: string;
  /** COSE key, base64url */
  public_key: string;
  /** number of uses that the authenticator has stated; 0 if it counts none */
  counter: number;
  /** comma-separated, such as `usb,nfc` */
  transports: string;
  created_at: number;
  last_used_at: number | null;
}

/** Written by `second-factor/`. Challenges that were answered, until they would have ended anyhow. */
export interface UsedChallengesTable {
  /** SHA-256, hex */
  digest: string;
  ends_at: number;
}

/** Written by `external/`. Accounts at other servers, with which users sign in here. */
export interface ExternalIdentitiesTable {
  id: Generated<number>;
  account_id: number;
  issuer: string;
  /** unique for the issuer, which never gives it to another user */
  subject: string;
  /** as the provider called the user at the last sign-in */
  name: string;
  created_at: number;
  /** of the last sign-in */
  used_at: number;
}

/** Written by `external/`. Users who have signed in at another server, and have no account here yet. */
export interface ExternalNewcomersTable {
  id: Generated<number>;
  /** SHA-256 of the secret in the cookie, hex */
  digest: string;
  issuer: string;
  subject: string;
  /** name of the provider in the settings */
  provider: string;
  /** what the provider says about the user, as JSON */
  profile: string;
  redirect_to: string;
  ends_at: number;
}

/** Written by `external/`. Sign-ins at other servers that have ended, so that none is used twice. */
export interface ExternalAnswersTable {
  /** SHA-256 of the state, hex */
  digest: string;
  /** when the state is too old anyway */
  ends_at: number;
}

export interface SignInTables {
  account_links: AccountLinksTable;
  sign_in_requests: SignInRequestsTable;
  sessions: SessionsTable;
  one_time_codes: OneTimeCodesTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  used_challenges: UsedChallengesTable;
  external_identities: ExternalIdentitiesTable;
  external_newcomers: ExternalNewcomersTable;
  external_answers: ExternalAnswersTable;
}
