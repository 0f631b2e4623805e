import { Readable } from 'node:stream';
import { EVENT_FEED_LIMITS } from './limits.ts';
import type { FeedPage } from './model.ts';
import { presentEvent } from './present.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** Whether a client prefers server-sent events: it names their type. */
export function acceptsEventStream(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*text\/event-stream\s*(?:;|,|$)/i.test(accept);
}

/**
 * Writes pages as server-sent events (HTML standard, section 9.2). A page is read when the client has taken the one before, so
 * a slow client takes no memory.
 */
export function eventStreamOf(pages: AsyncGenerator<FeedPage>): Readable {
  return Readable.from(blocksOf(pages), { objectMode: false });
}

async function* blocksOf(pages: AsyncGenerator<FeedPage>): AsyncGenerator<string> {
  yield `retry: ${EVENT_FEED_LIMITS.reconnectMs}\n\n`;
  for await (const page of pages) yield blockOf(page);
}

function blockOf({ events, cursor }: FeedPage): string {
  const blocks = events.map(
    (event) => `id: ${event.cursor}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`,
  );
  // A comment shows that the connection is alive. The id lets the client continue after events that it does not see.
  return `${blocks.join('')}: alive\nid: ${cursor}\n\n`;
}
