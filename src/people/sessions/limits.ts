const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SESSION_LIMITS = {
  /** A session ends if its browser sends nothing for this long. */
  idleMs: 12 * HOUR,
  /** A session ends this long after the sign-in, whatever its browser sends. */
  lifetimeMs: 3 * DAY,
  /** The same for a browser that the user wants to stay signed in. */
  rememberedIdleMs: 30 * DAY,
  rememberedLifetimeMs: 180 * DAY,
  /** The recorded last request of a session may lag behind by this much. */
  seenLagMs: 5 * MINUTE,
  /** With more, the one that was used least recently ends. */
  sessionsPerAccountMax: 100,
  sessionsRememberedMax: 1_000,
  userAgentCharsMax: 255,
} as const;
