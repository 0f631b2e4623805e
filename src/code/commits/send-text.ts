import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified } from '../../http/conditional.ts';
import type { CommitText } from './texts.ts';

/** Streams a diff or patch. Users wrote its lines, so headers forbid a browser to run them. */
export async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: CommitText,
): Promise<FastifyReply> {
  reply.headers({
    etag: `"${text.tag}"`,
    // A branch or a pull request may have moved by the next request.
    'cache-control': 'private, no-cache',
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  if (isNotModified(request, reply)) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.send();
  const pieces = await text.open(request.caller.left);
  return reply.send(Readable.from(pieces, { objectMode: false }));
}
