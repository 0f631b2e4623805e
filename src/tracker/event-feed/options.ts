import type { Cursors } from './cursors.ts';
import { EVENT_FEED_LIMITS } from './limits.ts';
import type { FeedRequest } from './model.ts';

interface FeedQueryValues {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly wait?: number | undefined;
}

const LATEST = 'latest';

/** @throws ForgeError `invalid` for an unknown cursor */
export function afterOf(cursors: Cursors, cursor: string | undefined): FeedRequest['after'] {
  if (cursor === undefined || cursor === '') return undefined;
  return cursor === LATEST ? LATEST : cursors.read(cursor);
}

/** Reads the size of a page. An unusable value becomes the default, and a large one the maximum. */
export function limitOf({ limit = 0 }: FeedQueryValues): number {
  const { eventsPerPageDefault, eventsPerPageMax } = EVENT_FEED_LIMITS;
  return limit > 0 ? Math.min(limit, eventsPerPageMax) : eventsPerPageDefault;
}

/** Reads how long a request waits, in ms; 0: not at all. */
export function waitMsOf({ wait = 0 }: FeedQueryValues): number {
  return Math.min(Math.max(wait, 0), EVENT_FEED_LIMITS.waitSecondsMax) * 1_000;
}
