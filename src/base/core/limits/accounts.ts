/** Accounts, teams, tokens and sign-ins. */
export const ACCOUNT_LIMITS = {
  nameCharsMax: 40,
  passwordCharsMin: 8,
  passwordCharsMax: 1024,
  tokenNameCharsMax: 255,
  tokensPerAccountMax: 1000,
  repositoriesPerTokenMax: 100,
  emailCharsMax: 254,
  emailsPerAccountMax: 50,
  teamNameCharsMax: 255,
  teamsPerOrganizationMax: 1000,
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
  verifiedCredentialsMax: 10_000,
  /** Rows of tokens and of names that sign in, which are remembered until the next commit. */
  credentialRowsRememberedMax: 1_000,
  /** A verified password that no client uses for this long is hashed again. */
  verifiedCredentialMs: 5 * 60_000,
  /** Failed sign-ins of one account from one address before responses slow down. */
  failedSignInsFree: 5,
  /** Delay of the first slowed response. It doubles with each further one. */
  failedSignInDelayMsMin: 250,
  failedSignInDelayMsMax: 5_000,
  /** Concurrent slowed responses over all accounts. Further attempts are rejected. */
  failedSignInDelaysAtOnceMax: 1_000,
  failedSignInsRemembered: 10_000,
  failedSignInForgetMs: 15 * 60_000,
  /** Different passwords in concurrent attempts on one account from one network, including slowed responses. */
  signInsAtOncePerAccountMax: 8,
  /** Accounts, networks, and pairs of both with a correct password. */
  signInsRememberedMax: 10_000,
  signInRememberedMs: 7 * 24 * 60 * 60_000,
  /** Networks whose anonymous requests count as requests of members, because a member used an account there. */
  familiarNetworksMax: 10_000,
  networkFamiliarMs: 60 * 60_000,
  /** The recorded last sign-in of an account may lag behind by this much. */
  lastSignInLagMs: 60 * 60_000,
  /** Time in which a client has to complete a sign-in through a page. */
  signInRequestMs: 20 * 60_000,
  /** Requests of one network in that time. */
  signInRequestsPerPeriodMax: 60,
  signInCallersRememberedMax: 10_000,
  deviceNameCharsMax: 120,
} as const;
