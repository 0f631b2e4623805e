const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const LINK_LIMITS = {
  /** How long a link works, by what it does. */
  signUpMs: DAY,
  invitationMs: 7 * DAY,
  recoverMs: HOUR,
  confirmEmailMs: DAY,
  undoEmailMs: 7 * DAY,
  /** A link that an administrator hands over. */
  handedOverMs: DAY,
  /** Mails with a link to one address, within this time. Others are not sent. */
  linksPerAddressMax: 5,
  linksPerAddressMs: HOUR,
  /** Mails of accounts that are sent at once. */
  accountMailsAtOnceMax: 2,
} as const;
