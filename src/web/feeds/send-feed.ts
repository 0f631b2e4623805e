import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { strongTag, unlessKnown } from '../../http/conditional.ts';
import { headerTime } from '../../http/time.ts';
import { FEED_TYPES, type FeedDocument, type FeedFormat, writeFeed } from './feed-document.ts';

/** Sends a feed. It may depend on the caller, so no cache between them may keep it. */
export function sendFeed(
  request: FastifyRequest,
  reply: FastifyReply,
  document: FeedDocument,
  format: FeedFormat,
): Promise<string | FastifyReply> {
  const text = writeFeed(document, format);
  reply.headers({
    'content-type': `${FEED_TYPES[format]}; charset=utf-8`,
    'cache-control': 'private, no-cache',
  });
  // A feed may get more entries of the present second, which the time could not distinguish.
  if (document.updatedAt < currentTimeMs() - 2_000)
    reply.header('last-modified', headerTime(document.updatedAt));
  return unlessKnown({ request, reply }, strongTag(text), () => text);
}
