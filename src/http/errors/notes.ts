import type { FastifyReply } from 'fastify';
import type { FailureKind } from '../../core/failure.ts';
import type { Wire } from './wire.ts';

const STATUS = {
  not_found: 404,
  unauthenticated: 401,
  bad_credentials: 401,
  forbidden: 403,
  barred: 403,
  name_in_use: 409,
  already_exists: 409,
  conflict: 409,
  invalid: 400,
  invalid_topics: 400,
  bad_request: 400,
  bad_body: 400,
  unsupported_media_type: 415,
  not_applicable: 405,
  archived: 403,
  too_large: 413,
  code_not_readable: 403,
  too_many_attempts: 429,
  busy: 503,
} as const satisfies Record<FailureKind, number>;

/** The versions of the notes API: the highest minor one of each major one. */
export const NOTES_API_VERSIONS = ['0.2', '1.4'] as const;

/** Every answer of this wire says which versions there are, whatever else it says. */
export function announceNotesVersions(reply: FastifyReply): FastifyReply {
  return reply.header('x-notes-api-versions', NOTES_API_VERSIONS.join(', '));
}

/** Errors of the notes API, whose clients go by the status alone. */
export const NOTES_WIRE: Wire = {
  name: 'notes',
  statusOf: (failure) => STATUS[failure.kind],
  send(reply) {
    announceNotesVersions(reply);
    switch (reply.statusCode) {
      case 400:
        return reply.send([]);
      case 401:
        reply.header('www-authenticate', 'Basic realm="Quire", charset="UTF-8"');
        return reply.send({ message: 'Current user is not logged in' });
      default:
        // Nothing of a path or a name: what went wrong is for the log.
        return reply.send({ errorType: 'Exception' });
    }
  },
  sendFault: (reply) => announceNotesVersions(reply).send({ errorType: 'Exception' }),
};
