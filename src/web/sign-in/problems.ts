import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { sentence } from './form-parts.ts';

/** Returns why a user cannot sign in, and sets the status of the response; undefined for a fault. */
export function problemOf(error: unknown, reply: FastifyReply): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  switch (failure.kind) {
    case 'unauthenticated':
      reply.code(403);
      return failure.reason === 'passwords-off'
        ? 'Passwords do not sign in on this server.'
        : 'The name or the password is wrong.';
    case 'too_many_attempts':
    case 'busy':
      reply.code(failure.kind === 'busy' ? 503 : 429).header('retry-after', failure.retryAfterSeconds);
      return 'Too many people sign in at the moment. Try again in some seconds.';
    case 'forbidden':
    case 'bad_request':
    case 'conflict':
    case 'expired':
    case 'invalid':
      reply.code(403);
      return sentence(failure.what);
    default:
      return undefined;
  }
}
