import type { FailureKind } from '../../core/failure.ts';
import type { Wire } from './wire.ts';

const STATUS = {
  not_found: 404,
  unauthenticated: 401,
  bad_credentials: 401,
  forbidden: 403,
  barred: 403,
  name_in_use: 409,
  already_exists: 422,
  conflict: 409,
  invalid: 422,
  invalid_topics: 422,
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

/** Errors of git's own wire: a line of text, which git shows to the person behind `remote:`. */
export const GIT_WIRE: Wire = {
  name: 'git',
  statusOf: (failure) => STATUS[failure.kind],
  send(reply, failure) {
    reply.type('text/plain; charset=utf-8');
    // git asks for a password only where a challenge tells it to.
    if (reply.statusCode === 401) reply.header('www-authenticate', 'Basic realm="Quire", charset="UTF-8"');
    if (failure.kind === 'not_found') return reply.send('Repository not found\n');
    if (failure.kind === 'too_many_attempts')
      return reply.send('too many failed sign-ins: try again later\n');
    return reply.send(`${'what' in failure ? failure.what : failure.why}\n`);
  },
  sendFault: (reply) => reply.type('text/plain; charset=utf-8').send('internal server error\n'),
};
