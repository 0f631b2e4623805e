export const WEBHOOK_LIMITS = {
  /** Webhooks of one repository, user or organization, and of the site: default and system hooks together. */
  webhooksPerOwnerMax: 1_000,
  webhookSecretCharsMax: 1_024,
  webhookAuthorizationCharsMax: 4_096,
  webhookConfigFieldsMax: 32,
  webhookConfigCharsMax: 2_048,
  webhookFilterCharsMax: 1_024,
  webhookFilterAlternativesMax: 100,
  webhookFilterStepsMax: 1_000_000,
  /** Names of events that one webhook lists. */
  webhookEventsMax: 100,
  /** Time for one request to a receiver, from the resolution of its name to its response. */
  deliveryMs: 5_000,
  /** Bytes of a payload. A larger one is not delivered, and is recorded as failed. */
  payloadBytesMax: 8 * 1024 * 1024,
  /** Of a delivery by GET, which has the payload in its address. */
  addressCharsMax: 64 * 1024,
  /** Owners of webhooks whose deliveries one process sends at once. */
  deliveringOwnersAtOnceMax: 16,
  /** Deliveries of one owner that are sent at once, each of another webhook. */
  deliveriesPerOwnerAtOnceMax: 4,
  /** Deliveries of one webhook, and time for them, before the next webhook of its owner has its turn. */
  deliveriesPerTurnMax: 50,
  turnMs: 10_000,
  /** Time that the webhooks of an owner have in any case before other owners, who wait for a slot, have theirs. */
  ownerPatienceMs: 20_000,
  /** Events that a webhook reads at once. */
  eventsPerReadMax: 50,
  /** Pause after the first failure. It doubles with each further one. */
  retryMsMin: 30_000,
  retryMsMax: 60 * 60_000,
  /** A delivery is tried again for this long. Later deliveries of the webhook wait for it. */
  retriedMs: 3 * 24 * 60 * 60_000,
  /** A webhook that fails for this long is made inactive. */
  failingMsMax: 7 * 24 * 60 * 60_000,
  /** Webhooks that stop within this time are in one mail to a person. */
  stopsGatheredMs: 60 * 60_000,
  /** People to whom one stop is mailed, and stopped webhooks that one mail lists. */
  stopReadersMax: 20,
  stopsListedMax: 50,
  /** Interval between checks which webhooks are due. */
  dueLookedForEveryMs: 30_000,
  dueOwnersAtOnceMax: 1_000,
  /** Deliveries are kept for this long, and the newest of each webhook up to a number. */
  deliveriesKeptMs: 30 * 24 * 60 * 60_000,
  deliveriesKeptPerHookMax: 500,
  deliveriesDeletedAtOnceMax: 1_000,
  oldDeliveriesLookedForEveryMs: 60 * 60_000,
  /** Characters of the body of a request and of a response that are kept. The rest is cut off. */
  requestCharsKeptMax: 64 * 1024,
  responseCharsKeptMax: 16 * 1024,
  responseHeaderCharsKeptMax: 1_024,
  errorCharsKeptMax: 500,
  /** Tests and repeated deliveries of one webhook that wait. */
  requestedPerHookMax: 100,
  /** Commits that a payload of a push has, and paths of each of them that it names. */
  commitsPerPayloadMax: 30,
  pathsPerCommitMax: 300,
  /** Pushes whose lists of commits are remembered, because many webhooks need the same. */
  pushesRememberedMax: 500,
  /** Characters of titles and of texts in messages to chats. */
  messageTitleCharsMax: 200,
  messageTextCharsMax: 1_000,
  /** Commits that a message to a chat has. */
  messageCommitsMax: 10,
  /** Bytes of the file that a build of SourceHut runs. */
  manifestBytesMax: 64 * 1024,
} as const;
