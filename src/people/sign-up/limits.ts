export const SIGN_UP_LIMITS = {
  /** Forms to sign up that one network may send, within this time. */
  signUpsPerNetworkMax: 30,
  signUpsMs: 60 * 60_000,
  networksRememberedMax: 10_000,
} as const;
