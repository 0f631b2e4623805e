const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const MAIL_LIMITS = {
  /** What happens within this time goes out together. */
  mailGatheredMs: 30_000,
  /** With more mails at once, or in one hour, a user gets one mail that lists everything. */
  mailsAtOnceMax: 5,
  mailsPerHourMax: 20,
  mailHourMs: HOUR_MS,
  /** Notices that one mail lists. */
  noticesListedMax: 100,
  /** Users to whom the server sends at the same time, and whom it reads at once. */
  mailedAtOnceMax: 2,
  mailedReadMax: 50,
  /** Characters of a text in a mail. A longer text is cut, with a link to all of it. */
  mailTextCharsMax: 20_000,
  mailTitleCharsMax: 200,
  /** Pause after a mail server has put off a user's mail. It doubles with each further time. */
  mailRetryMsMin: 5 * MINUTE_MS,
  mailRetryMsMax: 6 * HOUR_MS,
  /** A notice that could not be sent for this time is dropped. */
  mailTriedMs: 72 * HOUR_MS,
  /** Interval between looks for tokens that expire soon. */
  tokenNoticesEveryMs: HOUR_MS,
  /** Interval between looks for mail that was put off. */
  mailPutOffEveryMs: 5 * MINUTE_MS,
} as const;
