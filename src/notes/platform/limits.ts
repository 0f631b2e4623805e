export const PLATFORM_LIMITS = {
  /** Time in which a client has to complete a sign-in through a page. */
  signInRequestMs: 20 * 60_000,
  /** Requests of one network in that time. */
  signInRequestsPerPeriodMax: 60,
  signInCallersRememberedMax: 10_000,
  deviceNameCharsMax: 120,
} as const;
