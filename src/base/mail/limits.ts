export const MAIL_TRANSPORT_LIMITS = {
  mailConnectionsMax: 2,
  /** Mails over one connection. */
  mailsPerConnectionMax: 100,
  mailConnectMs: 10_000,
  /** Time in which the mail server sends nothing. */
  mailIdleMs: 30_000,
} as const;
