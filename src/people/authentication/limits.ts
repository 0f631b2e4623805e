export const AUTHENTICATION_LIMITS = {
  /** Credentials whose check is remembered. */
  verifiedCredentialsMax: 10_000,
  /** A verified password that no client uses for this long is hashed again. */
  verifiedCredentialMs: 5 * 60_000,
  /** Failed sign-ins with one name or e-mail address from one network before responses slow down. */
  failedSignInsFree: 5,
  /** Delay of the first slowed response. It doubles with each further one. */
  failedSignInDelayMsMin: 250,
  failedSignInDelayMsMax: 5_000,
  /** Concurrent slowed responses over all accounts. Further attempts are rejected. */
  failedSignInDelaysAtOnceMax: 1_000,
  failedSignInsRemembered: 10_000,
  failedSignInForgetMs: 15 * 60_000,
  /** Different passwords in concurrent attempts with one name or e-mail address from one network, including slowed responses. */
  signInsAtOncePerLoginMax: 8,
  /** Logins, networks, and pairs of both with a correct password. */
  signInsRememberedMax: 10_000,
  signInRememberedMs: 7 * 24 * 60 * 60_000,
  /** Entries of the audit log in one hour: sign-ins of one account, and failed ones of all accounts. */
  auditedSignInsPerHourMax: 20,
  auditedFailuresPerHourMax: 200,
  auditHourMs: 60 * 60_000,
  /** The recorded last sign-in of an account may lag behind by this much. */
  lastSignInLagMs: 60 * 60_000,
  /** Lifetime of a transfer token. A transfer that began with it may take longer. */
  transferTokenMs: 30 * 60_000,
} as const;
