import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from './limits.ts';

/** Closes the connection after a response that precedes the end of the body: the rest would look like a request. */
export function closeIfUnread(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  reply.header('connection', 'close');
  letRead(request);
}

/**
 * Lets a client read the response even if it is still sending: closing a connection with unread bytes resets it, and the
 * client loses the response. What arrives meanwhile is thrown away.
 *
 * @see RFC 9112, section 9.6
 */
function letRead({ raw }: FastifyRequest): void {
  const { socket } = raw;
  // `node:http` calls it after a response that is the last one of its connection.
  socket.destroySoon = () => {
    const close = () => socket.destroy();
    const deadline = setTimeout(close, HTTP_LIMITS.unreadBodyMs);
    socket.once('close', () => clearTimeout(deadline));
    raw.once('close', close);
    // A reader that has begun would keep the rest from being thrown away.
    raw.removeAllListeners('readable');
    raw.resume();
    socket.end();
  };
}
