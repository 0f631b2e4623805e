const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const OAUTH_GRANT_LIMITS = {
  /** A client exchanges an authorization code at once. */
  codeMs: 5 * MINUTE,
  accessTokenMs: HOUR,
  /** A grant ends if its client refreshes nothing for this long. */
  refreshTokenMs: 30 * DAY,
  /** The recorded last use of a grant may lag behind by this much. */
  usedLagMs: HOUR,
  /** Codes that wait for their clients. With more, the oldest one ends. */
  codesPerAccountMax: 20,
  /** With more, the one that was used least recently ends. */
  grantsPerApplicationMax: 50,
  grantsPerAccountMax: 500,
  /** Clients in several processes may each refresh. With more, the oldest token ends. */
  tokensPerGrantMax: 20,
  nonceCharsMax: 512,
  grantsListedMax: 1_000,
} as const;
