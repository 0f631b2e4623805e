export const AUDIT_LOG_LIMITS = {
  entriesDeletedAtOnceMax: 1_000,
  /** Characters of the details of one entry as JSON. Longer ones are left out. */
  detailsCharsMax: 20_000,
  /** Sign-ins of one account that are compared with a new one. */
  signInsReadMax: 500,
  /** Accounts in the details of an entry whose names it records. */
  namesPerEntryMax: 100,
} as const;
