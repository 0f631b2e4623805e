import type { FastifyReply } from 'fastify';
import { withVisibleCharacters } from '../../base/core/text/text.ts';
import type { Wire } from './wire.ts';

/** Errors of pages, as plain text. A hidden page gets the response of a path without a route. */
export const WEB_WIRE: Wire = {
  name: 'web',
  send: (reply, { kind, what }) => (kind === 'not_found' ? sendNoPage(reply) : sendText(reply, what)),
  sendFault: (reply) => sendText(reply, 'internal server error'),
};

/** Sends the response to a path without a page. Its status is already set. */
export function sendNoPage(reply: FastifyReply): FastifyReply {
  return sendText(reply, '404 page not found');
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`${withVisibleCharacters(text)}\n`);
}
