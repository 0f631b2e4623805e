import type { FastifyReply } from 'fastify';

/** Media type of all JSON of git-lfs. */
export const LFS_TYPE = 'application/vnd.git-lfs+json';

/** Sends JSON as bytes: to a text, Fastify would add the name of its encoding, which this media type does not have. */
export function sendLfsJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type(LFS_TYPE).send(Buffer.from(JSON.stringify(body)));
}
