import type { FailureKind } from '../../core/failure.ts';
import type { Addresses } from '../app.ts';
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
  bad_body: 422,
  unsupported_media_type: 415,
  not_applicable: 405,
  archived: 423,
  too_large: 413,
  code_not_readable: 500,
  too_many_attempts: 429,
  busy: 503,
} as const satisfies Record<FailureKind, number>;

/** Errors of the forge API: `{message, url}`, and `errors` where something was looked up and is not there. */
export function giteaWire(addresses: Addresses): Wire {
  const page = () => `${addresses.baseUrl}/api/swagger`;
  return {
    name: 'gitea',
    statusOf: (failure) => STATUS[failure.kind],
    send(reply, failure) {
      const url = page();
      if (failure.kind === 'not_found') {
        return reply.send({ errors: [], message: "The target couldn't be found.", url });
      }
      if (failure.kind === 'too_many_attempts') {
        return reply.send({ message: 'too many failed sign-ins: try again later', url });
      }
      if (failure.kind === 'barred') return reply.send({ message: failure.why });
      if (failure.kind === 'invalid_topics')
        return reply.send({ invalidTopics: failure.topics, message: failure.what });
      return reply.send({ message: 'what' in failure ? failure.what : failure.why, url });
    },
    sendFault: (reply) => reply.send({ message: 'internal server error', url: page() }),
  };
}

/**
 * Errors of searches, where what is wrong with the question, and any fault, is told in the envelope of the results.
 */
export function searchWire(addresses: Addresses): Wire {
  const wire = giteaWire(addresses);
  const envelope = (error: string) => ({
    ok: false,
    error,
    message: error,
    url: `${addresses.baseUrl}/api/swagger`,
  });
  return {
    ...wire,
    send(reply, failure) {
      if (reply.statusCode !== 422) return wire.send(reply, failure);
      return reply.send(envelope('what' in failure ? failure.what : failure.kind));
    },
    sendFault: (reply) => reply.send(envelope('internal server error')),
  };
}
