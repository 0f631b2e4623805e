const DAY = 24 * 60 * 60_000;

export const OAUTH_LIMITS = {
  applicationNameCharsMax: 255,
  /** of a user, of an organization, and of the site */
  applicationsPerOwnerMax: 100,
  redirectUrisMax: 20,
  redirectUriCharsMax: 2_000,
  stateCharsMax: 4_096,
  idTokenMs: DAY / 24,
  /** A key signs for this long. Its public part stays until the last token that it has signed ends. */
  keyMs: 90 * DAY,
  /** How much the clocks of clients may be off. */
  clockSkewMs: 10 * 60_000,
  keyBits: 2_048,
  /** A proof of the user that is this old satisfies a client that wants a new one. */
  freshProofMs: 2 * 60_000,
  groupsMax: 1_000,
} as const;
