import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { sentence } from './form-parts.ts';

/**
 * Returns why a form cannot be done, as a sentence, and sets the status of the response; undefined for a fault, and for
 * what another page answers.
 */
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
      return 'Too many people do this at the moment. Try again in some seconds.';
    case 'forbidden':
      // Another page asks for the proof.
      if (failure.reason === 'proof') return undefined;
      reply.code(403);
      return sentence(failure.what);
    case 'expired':
      reply.code(403);
      return sentence(failure.what);
    case 'bad_request':
    case 'invalid':
    case 'already_exists':
    case 'conflict':
    case 'archived':
    case 'malformed':
    case 'precondition_failed':
    case 'too_large':
      reply.code(422);
      return sentence(plainWords(failure.what));
    default:
      return undefined;
  }
}

/** The API names this rule as its clients expect. */
function plainWords(what: string): string {
  return what.replace(
    /\b\w+: AlphaDashDot\b/,
    'a name has only letters, digits, dashes, underscores and dots, and begins and ends with a letter or a digit',
  );
}
