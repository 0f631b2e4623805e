export const NOTIFICATION_LIMITS = {
  /** Events that one transaction turns into notifications, and users to whom one transaction delivers each. */
  eventsNotifiedAtOnceMax: 50,
  notificationsDeliveredAtOnceMax: 250,
  /** Notifications that one transaction marks. A change of more notifications takes several transactions. */
  notificationsMarkedAtOnceMax: 1_000,
  /** Records in the answer to a change of many notifications. */
  notificationsReturnedMax: 50,
} as const;
