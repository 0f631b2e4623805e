export const ACCOUNT_LIMITS = {
  nameCharsMax: 40,
  passwordCharsMin: 8,
  passwordCharsMax: 1024,
  emailCharsMax: 254,
  emailsPerAccountMax: 50,
  /** One profile field of an account, such as its location. */
  profileFieldCharsMax: 255,
  /** Each one occupies 19 MiB and a core. */
  passwordHashesAtOnceMax: 8,
  passwordHashQueueMax: 2048,
  /** Waiting hashes of one lane. There are four lanes, so one lane alone does not fill the queue. */
  passwordHashQueuePerLaneMax: 512,
  /** Waiting hashes of one network or account. */
  passwordHashQueuePerCallerMax: 128,
  passwordHashWaitMs: 30_000,
  /** Threads that hashes leave to files and name lookups. */
  threadsWithoutHashesMin: 2,
  /** Rows of tokens and of names that sign in, which are remembered until the next commit. */
  credentialRowsRememberedMax: 1_000,
  searchWordCharsMax: 255,
} as const;
