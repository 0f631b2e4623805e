export const EVENT_LIMITS = {
  /** Events of one statement. */
  eventsReadAtOnceMax: 500,
  eventsPrunedAtOnceMax: 1_000,
  /** A reader that has found only events of other kinds stores its position this often. */
  positionStoredEveryMs: 60_000,
  /** Readers of events and jobs poll this often, because a hint can get lost. */
  hintsMissedMs: 5_000,
  /** Accounts in a payload whose names the event records. Other ones are looked up when it is shown. */
  namesPerEventMax: 100,
} as const;
