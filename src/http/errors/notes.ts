import type { FastifyReply } from 'fastify';
import { isForUser, type Wire } from './wire.ts';

/** The versions of the notes API: the highest minor version of each major one. */
export const NOTES_API_VERSIONS = ['0.2', '1.4'] as const;

/** Adds the header that every response of this wire has. */
export function announceNotesVersions(reply: FastifyReply): FastifyReply {
  return reply.header('x-notes-api-versions', NOTES_API_VERSIONS.join(', '));
}

/** Errors of the notes API. Its clients read only the status. */
export const NOTES_WIRE: Wire = {
  name: 'notes',
  statusOf(failure) {
    if (failure.kind === 'invalid') return 400;
    return failure.kind === 'too_large' && failure.reason === 'quota' ? 507 : undefined;
  },
  send(reply, failure) {
    announceNotesVersions(reply);
    switch (reply.statusCode) {
      case 400:
        return reply.send([]);
      case 401:
        reply.header('www-authenticate', 'Basic realm="Quire", charset="UTF-8"');
        return reply.send({ message: isForUser(failure) ? failure.what : 'Current user is not logged in' });
      default:
        if (isForUser(failure)) return reply.send({ message: failure.what });
        // No path and no name: the cause belongs in the log.
        return reply.send({ errorType: 'Exception' });
    }
  },
  sendFault: (reply) => announceNotesVersions(reply).send({ errorType: 'Exception' }),
};
