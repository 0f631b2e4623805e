const MINUTE = 60_000;

export const SECOND_FACTOR_LIMITS = {
  /** Clocks of phones may be wrong by this many time steps. */
  codeStepsOff: 1,
  /** One-time codes of an account that are tried in a period without a right one, from any network. */
  codesTriedMax: 20,
  codesTriedPeriodMs: 60 * MINUTE,
  recoveryCodes: 10,
  passkeysPerAccountMax: 25,
  passkeyNameCharsMax: 100,
  /** An authenticator answers a challenge within this time. */
  challengeMs: 5 * MINUTE,
  /** A sign-in continues with the second factor within this time. */
  pendingSignInMs: 10 * MINUTE,
} as const;
