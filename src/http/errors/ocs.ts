import { sendOcs } from '../ocs.ts';
import { isForUser, type Wire } from './wire.ts';

/** Codes of the envelope that differ from the HTTP status. */
const NOT_SIGNED_IN = 997;
const FAULT = 996;

/** Errors of the Open Collaboration Services interface, in its envelope. */
export const OCS_WIRE: Wire = {
  name: 'ocs',
  statusOf(failure) {
    if (failure.kind === 'invalid') return 400;
    return failure.kind === 'forbidden' && failure.reason === 'account' ? 401 : undefined;
  },
  send(reply, failure) {
    const status = reply.statusCode;
    if (status === 401) {
      const message = isForUser(failure) ? failure.what : 'Current user is not logged in';
      return sendOcs(reply.request, reply, { status, statusCode: NOT_SIGNED_IN, message, data: [] });
    }
    const message = isForUser(failure) ? failure.what : failure.kind;
    return sendOcs(reply.request, reply, { status, message, data: [] });
  },
  sendFault: (reply) =>
    sendOcs(reply.request, reply, {
      status: 500,
      statusCode: FAULT,
      message: 'internal server error',
      data: [],
    }),
};
