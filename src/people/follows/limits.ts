export const FOLLOW_LIMITS = {
  /** Accounts that one user follows. */
  followingPerAccountMax: 10_000,
} as const;
