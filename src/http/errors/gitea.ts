import type { FailureKind } from '../../base/core/failure.ts';
import type { Addresses } from '../app.ts';
import type { StatusOf, Wire } from './wire.ts';

const MISSING = "The target couldn't be found.";
const STATUS: Partial<Record<FailureKind, number>> = { already_exists: 422, malformed: 422, archived: 423 };

/** Returns the status of a failure in the forge API, if it differs from the usual one. */
export const giteaStatusOf: StatusOf = ({ kind }) => STATUS[kind];

/** Errors of the forge API: `{message, url}`, with `errors` for a lookup that finds nothing. */
export function giteaWire(addresses: Addresses): Wire {
  const page = () => `${addresses.baseUrl}/api/swagger`;
  return {
    name: 'gitea',
    statusOf: giteaStatusOf,
    send(reply, failure) {
      const { kind, what: message } = failure;
      const url = page();
      if (kind === 'not_found') return reply.send({ errors: [], message: failure.say ?? MISSING, url });
      if (kind === 'forbidden' && isAboutAccount(failure.reason)) return reply.send({ message });
      if (kind === 'invalid' && failure.topics !== undefined)
        return reply.send({ invalidTopics: failure.topics, message });
      return reply.send({ message, url });
    },
    sendFault: (reply) => reply.send({ message: 'internal server error', url: page() }),
  };
}

function isAboutAccount(reason: string | undefined): boolean {
  return reason === 'account' || reason === 'password';
}

/** Errors of searches: a bad query, or a fault, is reported in the envelope of the results. */
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
      return reply.statusCode === 422 ? reply.send(envelope(failure.what)) : wire.send(reply, failure);
    },
    sendFault: (reply) => reply.send(envelope('internal server error')),
  };
}
