export const EMAIL_CHANGE_LIMITS = {
  /** Mails that ask to confirm an address of one account, within this time. Later ones are sent on request. */
  confirmationsPerAccountMax: 20,
  confirmationsMs: 24 * 60 * 60_000,
} as const;
