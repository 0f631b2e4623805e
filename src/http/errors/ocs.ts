import type { FailureKind } from '../../core/failure.ts';
import { sendOcs } from '../ocs.ts';
import type { Wire } from './wire.ts';

const STATUS = {
  not_found: 404,
  unauthenticated: 401,
  bad_credentials: 401,
  forbidden: 403,
  barred: 401,
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

/** What the envelope says of a failed sign-in. */
const NOT_SIGNED_IN = 997;
const FAULT = 996;

/** Errors of the Open Collaboration Services interface, in its envelope. */
export const OCS_WIRE: Wire = {
  name: 'ocs',
  statusOf: (failure) => STATUS[failure.kind],
  send(reply, failure) {
    const status = STATUS[failure.kind];
    if (status === 401) {
      const message = 'Current user is not logged in';
      return sendOcs(reply.request, reply, { status, statusCode: NOT_SIGNED_IN, message, data: [] });
    }
    return sendOcs(reply.request, reply, { status, message: failure.kind, data: [] });
  },
  sendFault: (reply) =>
    sendOcs(reply.request, reply, {
      status: 500,
      statusCode: FAULT,
      message: 'internal server error',
      data: [],
    }),
};
