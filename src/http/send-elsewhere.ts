import type { FastifyReply } from 'fastify';

/** Sends a client to a signed address. It ends soon, so no cache may keep it. */
export function sendElsewhere(reply: FastifyReply, url: string): FastifyReply {
  return reply.headers({ location: url, 'cache-control': 'no-store' }).code(302).send();
}
