const MINUTE = 60_000;

export const EXTERNAL_LIMITS = {
  providersMax: 20,
  /** Teams that the groups of one provider name. */
  groupTeamsMax: 200,
  /** Time for the sign-in at the provider. */
  signInMs: 10 * MINUTE,
  /** Time for the choice of an account by a user without one. */
  newcomerMs: 15 * MINUTE,
  /** Characters of the path to lead back to; a longer one becomes the start page. */
  redirectCharsMax: 1_000,
  /** Time for one response of a provider. */
  providerMs: 10_000,
  /** Bytes of one response of a provider: its description, its keys, tokens or claims. */
  providerAnswerBytesMax: 512 * 1024,
  /** The description of a provider is read again after this long. */
  descriptionMs: 60 * MINUTE,
  /** A provider that failed is asked for its description again after this long. */
  descriptionRetryMs: 5_000,
  /** Difference that the clocks of provider and server may have. */
  clockToleranceSeconds: 30,
  subjectCharsMax: 255,
  providerGroupsMax: 1_000,
  groupCharsMax: 255,
  /** Sign-ins at one provider that wait for it at once, of all users, and of one network or account. */
  exchangesAtOnceMax: 32,
  exchangesPerCallerMax: 4,
  exchangeQueueMax: 256,
  exchangeQueuePerCallerMax: 16,
  exchangeWaitMs: 10_000,
  /** Numbers that are tried after a name that is taken. */
  nameSuffixMax: 50,
  identitiesPerAccountMax: 20,
} as const;
